/**
 * Limits concurrent computations that take seconds and a connection.
 *
 * 1. Each user has one run at a time: further requests of the user wait for the earlier ones.
 * 2. All users together have only a few runs at a time, so that most connections remain for trading.
 * 3. Users are served in the order of their requests.
 */
export class PerUserSemaphore {
  /** The last queued run of each user who is being served. */
  private readonly last = new Map<string, Promise<unknown>>();
  private readonly waiting: (() => void)[] = [];

  /** @param permits - the maximum number of concurrent runs */
  constructor(private permits: number) {}

  run<T>(userId: string, work: () => Promise<T>): Promise<T> {
    const run = (this.last.get(userId) ?? Promise.resolve()).then(() => this.withPermit(work));
    const settled = run
      .catch(() => undefined)
      .then(() => {
        if (this.last.get(userId) === settled) this.last.delete(userId);
      });
    this.last.set(userId, settled);
    return run;
  }

  private async withPermit<T>(work: () => Promise<T>): Promise<T> {
    if (this.permits > 0) this.permits--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      // Passes the permit on to the next waiting run, so that it is never free in between.
      const next = this.waiting.shift();
      if (next === undefined) this.permits++;
      else next();
    }
  }
}
