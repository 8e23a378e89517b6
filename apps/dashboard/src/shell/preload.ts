'use client';
/** Loads what must work even if its code is gone from the server: stopping, leaving, and the notices of both. */
import { loadLate } from '../data/late-code';

const DELAY_MS = 2_000;

const ESSENTIAL = [
  () => import('../ui/emergency-stop/stop-dialog'),
  () => import('../ui/dialog-frame'),
  () => import('../ui/menu-parts'),
  () => import('./user-menu-items'),
  () => import('./toaster'),
];

/** Loads it after the page has become idle. */
export function preloadEssentials(): void {
  // Not every browser has idle callbacks.
  const whenIdle = window.requestIdleCallback ?? setTimeout;
  whenIdle(() => setTimeout(load, DELAY_MS));
}

const load = () => {
  // The notice of the shell reports a failure.
  for (const each of ESSENTIAL) loadLate<unknown>(each).catch(() => undefined);
};
