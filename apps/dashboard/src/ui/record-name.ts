'use client';
import { createContext } from 'react';

/**
 * Names the record that the page is about, and the page of the menu to which it belongs if the address does not say it.
 * The returned function takes both back.
 */
export type ShowRecordName = (name: string, menuPath?: string) => () => void;

export const RecordNameContext = createContext<ShowRecordName>(() => () => undefined);
