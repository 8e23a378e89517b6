'use client';
import { useContext, useLayoutEffect } from 'react';
import { RecordNameContext } from './record-name';

/** Names the record that a page is about, in the breadcrumb and in the title of the document; undefined while it loads. */
export function useRecordName(name: string | undefined): void {
  const show = useContext(RecordNameContext);
  useLayoutEffect(() => {
    if (name === undefined) return;
    let title = '';
    let named = '';
    const put = () => {
      if (document.title === named) return;
      title = document.title;
      named = `${name} · ${title}`;
      document.title = named;
    };
    put();
    show(name);
    // The title of a page may arrive after the page itself.
    const observer = new MutationObserver(put);
    observer.observe(document.head, { subtree: true, childList: true, characterData: true });
    return () => {
      observer.disconnect();
      show(undefined);
      if (document.title === named) document.title = title;
    };
  }, [show, name]);
}
