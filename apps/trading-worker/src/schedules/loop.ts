import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';

export interface Loop {
  /** Stops the loop after the running tick. */
  stop(): Promise<void>;
}

/**
 * Runs `tick` repeatedly with a delay in between. If a tick fails, `onError` gets the error and the loop continues.
 *
 * @param delayMs the delay, or a function that computes it from the duration of the last tick
 */
export function startLoop(
  delayMs: number | ((tookMs: number) => number),
  tick: (signal: AbortSignal) => Promise<void>,
  onError: (error: unknown) => void,
): Loop {
  const stopping = new AbortController();
  const { signal } = stopping;
  async function run(): Promise<void> {
    while (!signal.aborted) {
      const startedAt = performance.now();
      await tick(signal).catch(onError);
      const waitMs = typeof delayMs === 'number' ? delayMs : delayMs(performance.now() - startedAt);
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Processes `items`, at most `concurrency` at a time. A failure is reported to `onError` and stops no other item. */
export async function forEachConcurrent<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<unknown>,
  onError: (error: unknown) => void,
): Promise<void> {
  await pLimit(concurrency).map(items, (item) => work(item).catch(onError));
}
