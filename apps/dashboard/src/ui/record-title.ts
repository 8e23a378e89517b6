'use client';

let restore: (() => void) | undefined;

/** Puts the name of a record before the title of the document, in place of another record. The returned function removes it. */
export function putInTitle(name: string): () => void {
  restore?.();
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
  const remove = () => {
    if (restore !== remove) return;
    restore = undefined;
    observer.disconnect();
    if (document.title === named) document.title = title;
  };
  restore = remove;
  return remove;
}
