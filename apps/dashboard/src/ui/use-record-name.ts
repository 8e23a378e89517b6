'use client';
import { useContext, useLayoutEffect } from 'react';
import { RecordNameContext } from './record-name';

/** Names the record that a page is about, in the breadcrumb and in the title of the document; undefined while it loads. */
export function useRecordName(name: string | undefined): void {
  const show = useContext(RecordNameContext);
  useLayoutEffect(() => (name === undefined ? undefined : show(name)), [show, name]);
}
