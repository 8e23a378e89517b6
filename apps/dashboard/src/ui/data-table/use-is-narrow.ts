'use client';
import { useSyncExternalStore } from 'react';

let narrow: MediaQueryList | undefined;
/** One for all readers: a new one in each drawing of a list is slow. */
const narrowScreen = () => (narrow ??= window.matchMedia('(max-width: 767.98px)'));

function subscribe(onChange: () => void): () => void {
  narrowScreen().addEventListener('change', onChange);
  return () => narrowScreen().removeEventListener('change', onChange);
}

/** Whether the screen is below 768 px, where columns `from: 'md'` are hidden. The server renders for wider ones. */
export const useIsNarrow = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => narrowScreen().matches,
    () => false,
  );
