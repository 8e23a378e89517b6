'use client';

let restore: (() => void) | undefined;

/** Puts the name of a record before the title of the document, in place of another record. The returned function removes it. */
export function putInTitle(name: string): () => void {
  restore?.();
  // The elements of two pages may be in the document at once, and the element that has been named may be the one that stays.
  const titles = new Map<Element, { readonly title: string; readonly named: string }>();
  const put = () => {
    for (const element of document.head.querySelectorAll('title')) {
      const title = element.textContent ?? '';
      if (titles.get(element)?.named === title) continue;
      const named = `${name} · ${title}`;
      titles.set(element, { title, named });
      element.textContent = named;
    }
  };
  put();
  // The title of a page may arrive after the page itself.
  const observer = new MutationObserver(put);
  observer.observe(document.head, { subtree: true, childList: true, characterData: true });
  const remove = () => {
    if (restore !== remove) return;
    restore = undefined;
    observer.disconnect();
    for (const [element, { title, named }] of titles)
      if (element.textContent === named) element.textContent = title;
  };
  restore = remove;
  return remove;
}
