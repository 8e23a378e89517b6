'use client';
/**
 * Gives the styles that Radix adds while a dialog is open the nonce of the page, without which the browser refuses them.
 * Their text depends on the width of the scroll bar, so that no hash can allow them. The library reads this global name.
 */
declare global {
  interface Window {
    __webpack_nonce__?: string;
  }
}

if (typeof document !== 'undefined') {
  const { nonce = '' } = document.querySelector<HTMLElement>('script[nonce]') ?? {};
  if (nonce !== '') window.__webpack_nonce__ = nonce;
}

export {};
