/** Where the focus goes when a dialog, a drawer or the command palette closes. */

/** How long the list behind a drawer may take to show its rows again. */
const SEARCH_MS = 1_000;
/** Returns what has the focus now; for an item of a menu, which disappears, the trigger of the menu. */
export function currentOpener(): Element | null {
  const { activeElement: active } = document;
  const triggerId = active?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  return triggerId ? document.getElementById(triggerId) : active;
}

function takesFocus(element: Element | null, options?: FocusOptions): boolean {
  if (!(element instanceof HTMLElement) || element === document.body || !element.isConnected) return false;
  element.focus(options);
  return document.activeElement === element;
}

/** Moves the focus to the content of the page, from where Tab continues. */
export function focusContent(): void {
  document.getElementById('content')?.focus({ preventScroll: true });
}

/**
 * Returns the focus to the opener. If it has disappeared, to the link that leads to `address`, such as the row of the record
 * that a drawer showed; otherwise to the content of the page.
 */
export function returnFocus(opener: Element | null, address?: string): void {
  const endMs = performance.now() + (address === undefined ? 0 : SEARCH_MS);
  const attempt = () => {
    const link =
      address === undefined ? null : document.querySelector(`main a[href="${CSS.escape(address)}"]`);
    // The opener was on screen when it was used. A link may be further down, and must be seen.
    if (takesFocus(opener, { preventScroll: true }) || takesFocus(link)) return;
    // The reader may have moved on.
    if (document.activeElement !== document.body) return;
    if (performance.now() < endMs) requestAnimationFrame(attempt);
    else focusContent();
  };
  requestAnimationFrame(attempt);
}
