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

interface PendingRead<Item> {
  readonly resolve: (result: IteratorResult<Item, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

const DONE = { done: true, value: undefined } as const;

export class PullStreamController<Item> implements PullStream<Item> {
  private readonly pendingReads: PendingRead<Item>[] = [];
  private readonly ending = new AbortController();
  private unreportedError: { readonly error: unknown } | undefined;
  private isPulling = false;
  /** Whether something came about while an item was being read: what that read answered may be too old. */
  private isWoken = false;

  constructor(
    /** The next item; undefined while there is none, after which `wake` is called. It may have to be read first. */
    private readonly pull: () => Item | undefined | Promise<Item | undefined>,
    private readonly onEnd: () => void,
  ) {}

  get ended(): AbortSignal {
    return this.ending.signal;
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    if (this.unreportedError !== undefined) {
      const { error } = this.unreportedError;
      this.unreportedError = undefined;
      return Promise.reject(error);
    }
    if (this.ended.aborted) return Promise.resolve(DONE);
    return new Promise((resolve, reject) => {
      this.pendingReads.push({ resolve, reject });
      this.wake();
    });
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.unreportedError = undefined;
    this.end();
    return Promise.resolve(DONE);
  }

  fail(error: unknown): void {
    if (this.ended.aborted) return;
    const first = this.pendingReads.shift();
    if (first === undefined) this.unreportedError = { error };
    else first.reject(error);
    this.end(error);
  }

  /** There may be an item now. */
  wake(): void {
    this.isWoken = true;
    while (!this.isPulling && this.pendingReads.length > 0) {
      const made = this.pull();
      if (made === undefined) return;
      if (made instanceof Promise) this.await(made);
      else this.give(made);
    }
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private await(making: Promise<Item | undefined>): void {
    this.isPulling = true;
    this.isWoken = false;
    making.then(
      (made) => {
        this.isPulling = false;
        if (made !== undefined) this.give(made);
        if (made !== undefined || this.isWoken) this.wake();
      },
      (error) => {
        this.isPulling = false;
        this.fail(error);
      },
    );
  }

  private give(value: Item): void {
    this.pendingReads.shift()?.resolve({ done: false, value });
  }

  private end(reason?: unknown): void {
    if (this.ended.aborted) return;
    this.ending.abort(reason);
    for (const { resolve } of this.pendingReads.splice(0)) resolve(DONE);
    this.onEnd();
  }
}
