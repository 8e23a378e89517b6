/**
 * A stream whose items are made when its reader asks for them: what nobody asks for is kept by nobody.
 *
 * 1. `return` acts at once, also while a `next` is pending, which is then done. Nothing of the source is awaited.
 * 2. Each `next` is answered in its order. An item that was made is given to the one that asked for it, unless the
 *    stream ended meanwhile.
 * 3. A stream that fails tells so once: to whoever waits, or to who asks next. After that it is done.
 */

export interface PullStream<Item> extends AsyncIterableIterator<Item, undefined, undefined> {
  return(): Promise<IteratorReturnResult<undefined>>;
  /** Aborted when nothing more is to be made; its reason is the error of a stream that failed. */
  readonly ended: AbortSignal;
}

interface Asker<Item> {
  readonly resolve: (result: IteratorResult<Item, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

const DONE = { done: true, value: undefined } as const;

export class PulledItems<Item> implements PullStream<Item> {
  private readonly askers: Asker<Item>[] = [];
  private readonly ending = new AbortController();
  private untold: { readonly error: unknown } | undefined;
  private isMaking = false;
  /** Whether something came about while an item was being read: what that read answered may be too old. */
  private isWoken = false;

  constructor(
    /** The next item; undefined while there is none, after which `wake` is called. It may have to be read first. */
    private readonly make: () => Item | undefined | Promise<Item | undefined>,
    private readonly onEnd: () => void,
  ) {}

  get ended(): AbortSignal {
    return this.ending.signal;
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    if (this.untold !== undefined) {
      const { error } = this.untold;
      this.untold = undefined;
      return Promise.reject(error);
    }
    if (this.ended.aborted) return Promise.resolve(DONE);
    return new Promise((resolve, reject) => {
      this.askers.push({ resolve, reject });
      this.wake();
    });
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.untold = undefined;
    this.end();
    return Promise.resolve(DONE);
  }

  fail(error: unknown): void {
    if (this.ended.aborted) return;
    const first = this.askers.shift();
    if (first === undefined) this.untold = { error };
    else first.reject(error);
    this.end(error);
  }

  /** There may be an item now. */
  wake(): void {
    this.isWoken = true;
    while (!this.isMaking && this.askers.length > 0) {
      const made = this.make();
      if (made === undefined) return;
      if (made instanceof Promise) this.await(made);
      else this.give(made);
    }
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private await(making: Promise<Item | undefined>): void {
    this.isMaking = true;
    this.isWoken = false;
    making.then(
      (made) => {
        this.isMaking = false;
        if (made !== undefined) this.give(made);
        if (made !== undefined || this.isWoken) this.wake();
      },
      (error) => {
        this.isMaking = false;
        this.fail(error);
      },
    );
  }

  private give(value: Item): void {
    this.askers.shift()?.resolve({ done: false, value });
  }

  private end(reason?: unknown): void {
    if (this.ended.aborted) return;
    this.ending.abort(reason);
    for (const { resolve } of this.askers.splice(0)) resolve(DONE);
    this.onEnd();
  }
}
