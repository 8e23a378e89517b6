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

/** Loads it after the page has become idle, part by part, so that no input waits for it. */
export function preloadEssentials(): void {
  void idle().then(() => setTimeout(load, DELAY_MS));
}

async function load(): Promise<void> {
  for (const each of ESSENTIAL) {
    await idle();
    // The notice of the shell reports a failure.
    await loadLate<unknown>(each).catch(() => undefined);
  }
}

// Not every browser has idle callbacks.
const idle = () =>
  new Promise<void>((go) => {
    if (window.requestIdleCallback === undefined) setTimeout(go);
    else window.requestIdleCallback(() => go());
  });
