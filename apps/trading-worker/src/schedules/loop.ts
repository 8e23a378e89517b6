import { setTimeout as sleep } from 'node:timers/promises';

export interface Loop {
  /** Lets the running turn end. */
  stop(): Promise<void>;
}

/**
 * Runs `turn` again and again with a pause between; a turn that fails is told of, and the next one comes all the same.
 *
 * @param delayMs - the pause, or what it is after a turn that took so long
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
      const beganAt = performance.now();
      await tick(signal).catch(onError);
      const pauseMs = typeof delayMs === 'number' ? delayMs : delayMs(performance.now() - beganAt);
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
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

/** Works through `items`, at most `concurrency` at once; one that fails is told of and hinders no other. */
export async function forEachConcurrent<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<unknown>,
  onError: (error: unknown) => void,
): Promise<void> {
  const waiting = [...items];
  const lane = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await work(item).catch(onError);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, lane));
}
