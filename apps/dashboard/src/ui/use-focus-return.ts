'use client';
import { useRef } from 'react';
import { currentOpener, returnFocus } from './focus-return';

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
    onOpenAutoFocus: () => {
      opener.current = currentOpener();
      address.current = hasAddress ? `${window.location.pathname}${window.location.search}` : undefined;
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      returnFocus(opener.current, address.current);
    },
  };
}
