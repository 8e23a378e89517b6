'use client';
import { useContext, useLayoutEffect } from 'react';
import { RecordNameContext } from './record-name';
import { putInTitle } from './record-title';

/**
 * Names the record that a page is about, in the breadcrumb and in the title of the document; undefined while it loads.
 * `menuPath` is the page of the menu to which it belongs, if not the one of the address.
 */
export function useRecordName(name: string | undefined, menuPath?: string): void {
  const show = useContext(RecordNameContext);
  useLayoutEffect(() => (name === undefined ? undefined : show(name, menuPath)), [show, name, menuPath]);
  useLayoutEffect(() => (name === undefined ? undefined : putInTitle(name)), [name]);
}
