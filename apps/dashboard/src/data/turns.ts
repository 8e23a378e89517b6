/** Of the six connections that a browser opens to a server, one has the live data, and one stays free for code and pages. */
export const READS_AT_ONCE = 4;

/** Lets a number of tasks run at once. The others wait for their turn, in the order in which they came. */
export class Turns {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((begin) => this.waiting.push(begin));
    try {
      return await task();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free++;
      else next();
    }
  }
}
