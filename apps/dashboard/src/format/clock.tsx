'use client';
import { createContext, useContext, useSyncExternalStore } from 'react';

const TICK_MS = 5_000;
const Arrived = createContext(0);

/** Gives the time at which the server rendered the page, in milliseconds, which is that of its first drawing in the browser. */
export const ClockProvider = Arrived.Provider;

/** Returns when the server rendered the page, in milliseconds by its clock. */
export const useArrivedAt = () => useContext(Arrived);

function subscribe(onTick: () => void): () => void {
  const timer = setInterval(onTick, TICK_MS);
  return () => clearInterval(timer);
}

const inSteps = (ms: number) => Math.floor(ms / TICK_MS) * TICK_MS;

/** Returns the time in milliseconds, in steps of five seconds, so that relative times stay true. */
export function useNow(): number {
  const arrivedAt = useArrivedAt();
  return useSyncExternalStore(
    subscribe,
    () => inSteps(Date.now()),
    () => inSteps(arrivedAt),
  );
}
