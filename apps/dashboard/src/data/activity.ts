'use client';
/** Whether a person uses the page, which extends the session. */

const ACTIVE_MS = 60_000;
const INPUTS = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const;
let lastInputAt = Number.NEGATIVE_INFINITY;

/** Returns whether there was input within the last minute. */
export function isUserActive(): boolean {
  return performance.now() - lastInputAt < ACTIVE_MS;
}

/** Notes input from now on, and calls `onInput` for each. Returns a function that stops it. */
export function watchInput(onInput: () => void): () => void {
  // Opening a page is input.
  lastInputAt = performance.now();
  const note = (event: Event) => {
    if (!event.isTrusted) return;
    lastInputAt = performance.now();
    onInput();
  };
  for (const name of INPUTS) window.addEventListener(name, note, { passive: true, capture: true });
  return () => {
    for (const name of INPUTS) window.removeEventListener(name, note, { capture: true });
  };
}
