'use client';
import { useLayoutEffect } from 'react';

/** Puts the name of a record before the title of the document. */
export function useRecordTitle(name: string | undefined): void {
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
    // The title of a page may arrive after the page itself.
    const observer = new MutationObserver(put);
    observer.observe(document.head, { subtree: true, childList: true, characterData: true });
    return () => {
      observer.disconnect();
      if (document.title === named) document.title = title;
    };
  }, [name]);
}
