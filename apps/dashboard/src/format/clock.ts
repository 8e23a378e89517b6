'use client';
import { useSyncExternalStore } from 'react';

const TICK_MS = 5_000;

function subscribe(onTick: () => void): () => void {
  const timer = setInterval(onTick, TICK_MS);
  return () => clearInterval(timer);
}

/** Returns the time in milliseconds, in steps of five seconds, so that relative times stay true. */
export function useNow(): number {
  return useSyncExternalStore(
    subscribe,
    () => Math.floor(Date.now() / TICK_MS) * TICK_MS,
    () => 0,
  );
}
