'use client';
import { useSyncExternalStore } from 'react';

const subscribe = () => () => undefined;

/** Returns whether the page runs in the browser; false while the server renders it and during hydration. */
export function useIsHydrated(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  );
}
