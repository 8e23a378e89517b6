/** An exponential backoff: it doubles with each consecutive failure, with jitter. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Returns between half and all of the backoff, so that reconnections spread out. `chance`: 0 to 1. */
export function backoffMs({ firstMs, maxMs }: Backoff, failures: number, chance: number): number {
  const fullMs = Math.min(maxMs, firstMs * 2 ** Math.max(0, failures - 1));
  return fullMs * (0.5 + chance / 2);
}

/** Limits the number of concurrent runs; others wait in order of arrival. */
export class Semaphore {
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(private readonly permits: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.permits) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running++;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.running--;
      else next();
    }
  }
}
