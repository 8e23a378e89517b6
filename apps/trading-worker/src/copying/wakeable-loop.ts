import { setTimeout as sleep } from 'node:timers/promises';

/** A loop that runs when it is woken, and also at an interval, because a wake-up can be lost. */
export interface WakeableLoop {
  wake(): void;
  /** Stops the loop after the running tick. */
  stop(): Promise<void>;
}

export interface WakeableLoopOptions {
  /** Does a part of the pending work. Returns true if more work may be pending now. */
  readonly tick: () => Promise<boolean>;
  /** The maximum time without a tick if no wake-up arrives, in milliseconds. */
  readonly idleMs: number;
  /** The minimum delay after a tick, in milliseconds, so that many wake-ups share one tick. Default: 0. */
  readonly coalesceMs?: number;
  readonly onError: (error: unknown) => void;
}

/** Starts a loop. If a tick fails, `onError` gets the error, and the next tick follows after `idleMs`. */
export function startWakeableLoop({
  tick,
  idleMs,
  coalesceMs = 0,
  onError,
}: WakeableLoopOptions): WakeableLoop {
  const stopping = new AbortController();
  let idleWait = new AbortController();
  let isWoken = false;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      idleWait = new AbortController();
      isWoken = false;
      const hasMore = await tick().catch((error) => {
        onError(error);
        return false;
      });
      if (coalesceMs > 0)
        await sleep(coalesceMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (hasMore || isWoken) continue;
      const stoppedOrWoken = AbortSignal.any([stopping.signal, idleWait.signal]);
      await sleep(idleMs, undefined, { signal: stoppedOrWoken }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    wake() {
      isWoken = true;
      idleWait.abort();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
