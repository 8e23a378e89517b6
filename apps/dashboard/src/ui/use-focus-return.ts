'use client';
import { useRef } from 'react';

/** Returns the focus to what opened a dialog. Radix does so only for its own triggers. */
export function useFocusReturn() {
  const opener = useRef<Element>(null);
  return {
    // The focus has not moved into the dialog yet.
    onOpenAutoFocus: () => {
      opener.current = document.activeElement;
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      if (opener.current instanceof HTMLElement) opener.current.focus();
    },
  };
}
