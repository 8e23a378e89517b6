import pLimit, { type LimitFunction } from 'p-limit';

/**
 * Limits concurrent computations that each take seconds and use a database connection.
 *
 * 1. Each user has one run at a time: further requests of the user wait for the earlier ones.
 * 2. All users together have only a few runs at a time, so that most connections remain for trading.
 * 3. Users are served in the order of their requests.
 */
export class PerUserSemaphore {
  /** The last queued run of each user who is being served. */
  private readonly last = new Map<string, Promise<unknown>>();
  private readonly limit: LimitFunction;

  /** @param permits - the maximum number of concurrent runs */
  constructor(permits: number) {
    this.limit = pLimit(permits);
  }

  run<T>(userId: string, work: () => Promise<T>): Promise<T> {
    const run = (this.last.get(userId) ?? Promise.resolve()).then(() => this.limit(work));
    const settled = run
      .catch(() => undefined)
      .then(() => {
        if (this.last.get(userId) === settled) this.last.delete(userId);
      });
    this.last.set(userId, settled);
    return run;
  }
}
