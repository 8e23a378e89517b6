import { setTimeout as sleep } from 'node:timers/promises';

/** A loop that runs on hints, and also without them at an interval: a hint can be lost. */
export interface WakeableLoop {
  wake(): void;
  /** Stops the loop after the running tick. */
  stop(): Promise<void>;
}

export interface WakeableLoopOptions {
  /** Does part of the pending work; returns true if more may be pending immediately. */
  readonly tick: () => Promise<boolean>;
  /** The interval without a hint, in milliseconds. */
  readonly idleMs: number;
  /** The minimum delay after a tick, in milliseconds, so that many hints share one tick. Default: 0. */
  readonly coalesceMs?: number;
  readonly onError: (error: unknown) => void;
}

/** Starts a loop. A tick that fails is reported to `onError`, and the next one follows after `idleMs`. */
export function startWakeableLoop({
  tick,
  idleMs,
  coalesceMs = 0,
  onError,
}: WakeableLoopOptions): WakeableLoop {
  const stopping = new AbortController();
  let idle = new AbortController();
  let isHinted = false;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      idle = new AbortController();
      isHinted = false;
      const hasMore = await tick().catch((error) => {
        onError(error);
        return false;
      });
      if (coalesceMs > 0)
        await sleep(coalesceMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (hasMore || isHinted) continue;
      const stoppedOrWoken = AbortSignal.any([stopping.signal, idle.signal]);
      await sleep(idleMs, undefined, { signal: stoppedOrWoken }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    wake() {
      isHinted = true;
      idle.abort();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
