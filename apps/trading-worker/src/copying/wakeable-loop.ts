import { setTimeout as sleep } from 'node:timers/promises';

/** A loop that is woken by hints, and looks unasked as well: a hint can be lost. */
export interface WakeableLoop {
  wake(): void;
  /** Lets the running turn end. */
  stop(): Promise<void>;
}

export interface WakeableLoopOptions {
  /** Does some of what there is to do; true where there may be more at once. */
  readonly tick: () => Promise<boolean>;
  /** How long it rests without a hint, in milliseconds. */
  readonly idleMs: number;
  /** How long it rests whatever is hinted, in milliseconds: what many hints tell of is done together. 0 unless given. */
  readonly coalesceMs?: number;
  readonly onError: (error: unknown) => void;
}

/** A turn that fails is told of, and the next one comes after a rest. */
export function startWakeableLoop({
  tick,
  idleMs,
  coalesceMs = 0,
  onError,
}: WakeableLoopOptions): WakeableLoop {
  const stopping = new AbortController();
  let rest = new AbortController();
  let isHinted = false;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      rest = new AbortController();
      isHinted = false;
      const hasMore = await tick().catch((error) => {
        onError(error);
        return false;
      });
      if (coalesceMs > 0)
        await sleep(coalesceMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (hasMore || isHinted) continue;
      const either = AbortSignal.any([stopping.signal, rest.signal]);
      await sleep(idleMs, undefined, { signal: either }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    wake() {
      isHinted = true;
      rest.abort();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
