'use client';
import { createContext } from 'react';

/** Shows the name of the record that the page is about in the breadcrumb. */
export const RecordNameContext = createContext<(name: string | undefined) => void>(() => undefined);
