/** Where the focus goes when a dialog, a drawer or the command palette closes. */

/** How long the list behind a drawer may take to show its rows again. */
const SEARCH_MS = 1_000;
/** A dialog that an item of a menu opens follows at once, or after the menu has returned the focus. */
const MENU_MS = 500;

let menuTrigger: { readonly element: Element | null; readonly atMs: number } | undefined;

/** Remembers the trigger of a menu whose item was chosen: the item that has the focus disappears. */
export function rememberMenuTrigger(element: Element | null): void {
  menuTrigger = { element, atMs: performance.now() };
}

/** Returns what has the focus now; for an item of a menu, the trigger of the menu. */
export function currentOpener(): Element | null {
  const { activeElement: active, body } = document;
  const isLost = active === null || active === body || active.closest('[role="menu"]') !== null;
  const isFromMenu = menuTrigger !== undefined && performance.now() - menuTrigger.atMs < MENU_MS;
  return isLost && isFromMenu ? (menuTrigger?.element ?? null) : active;
}

function takesFocus(element: Element | null): boolean {
  if (!(element instanceof HTMLElement) || element === document.body || !element.isConnected) return false;
  element.focus();
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
    if (takesFocus(opener) || takesFocus(link)) return;
    // The reader may have moved on.
    if (document.activeElement !== document.body) return;
    if (performance.now() < endMs) requestAnimationFrame(attempt);
    else focusContent();
  };
  requestAnimationFrame(attempt);
}
