/** How long to wait before the next try after this many failures in a row: doubled each time, and spread. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Between half and all of it, so that what was lost at once does not come back at once. `chance`: 0 to 1. */
export function backoffMs({ firstMs, maxMs }: Backoff, failures: number, chance: number): number {
  const fullMs = Math.min(maxMs, firstMs * 2 ** Math.max(0, failures - 1));
  return fullMs * (0.5 + chance / 2);
}

/** Lets at most so many run at once; the others wait in the order of arrival. */
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
