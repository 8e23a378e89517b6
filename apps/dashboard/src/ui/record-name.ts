'use client';
import { createContext } from 'react';

/** Names the record that the page is about. The returned function takes the name back. */
export type ShowRecordName = (name: string) => () => void;

export const RecordNameContext = createContext<ShowRecordName>(() => () => undefined);
