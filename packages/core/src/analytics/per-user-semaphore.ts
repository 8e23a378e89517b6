/**
 * Who may compute now, where computing takes seconds and a connection.
 *
 * 1. One turn at a time for each user: whoever asks often waits for themselves.
 * 2. A few for all users together: however many ask, most of the connections are left to those who trade.
 * 3. Users come to their turns in the order in which they asked.
 */
export class PerUserSemaphore {
  /** The last turn of each user who is being served. */
  private readonly last = new Map<string, Promise<unknown>>();
  private readonly waiting: (() => void)[] = [];

  /** @param permits - how many turns there are at once */
  constructor(private permits: number) {}

  run<T>(userId: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.last.get(userId) ?? Promise.resolve()).then(() => this.withPermit(work));
    const over = turn
      .catch(() => undefined)
      .then(() => {
        if (this.last.get(userId) === over) this.last.delete(userId);
      });
    this.last.set(userId, over);
    return turn;
  }

  private async withPermit<T>(work: () => Promise<T>): Promise<T> {
    if (this.permits > 0) this.permits--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      // A place that somebody waits for is handed on, and never free in between.
      const next = this.waiting.shift();
      if (next === undefined) this.permits++;
      else next();
    }
  }
}
