'use client';
import { useRef } from 'react';
import { currentOpener, returnFocus } from './focus-return';

const FIELD = 'input:not([type=radio], [type=checkbox]), select, textarea';

/** A form begins in its first field. Otherwise the whole dialog has the focus, not its button "Close", and its title is read. */
function focusFirst(event: Event): void {
  const dialog = event.target;
  if (!(dialog instanceof HTMLElement)) return;
  event.preventDefault();
  (dialog.querySelector<HTMLElement>(FIELD) ?? dialog).focus({ preventScroll: true });
}

/**
 * Returns the focus to what opened a dialog. Radix does so only for its own triggers.
 *
 * @param hasAddress the address of the page is that of the dialog, so that a link may have opened it
 */
export function useFocusReturn(hasAddress = false) {
  const opener = useRef<Element>(null);
  const address = useRef<string>(undefined);
  return {
    // The focus has not moved into the dialog yet.
    onOpenAutoFocus: (event: Event) => {
      opener.current = currentOpener();
      address.current = hasAddress ? `${window.location.pathname}${window.location.search}` : undefined;
      focusFirst(event);
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      returnFocus(opener.current, address.current);
    },
  };
}
