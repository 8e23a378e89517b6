/**
 * A stream that produces an item only when its reader requests one. It buffers no items.
 *
 * 1. `return` takes effect immediately, even while a `next` is pending; that `next` resolves as done.
 *    `return` does not wait for the source.
 * 2. Calls of `next` resolve in order. An item goes to the call that requested it, unless the stream has ended.
 * 3. A stream that fails reports the error once: to the pending call, or to the next call if none is pending. After that
 *    the stream is done.
 */

export interface PullStream<Item> extends AsyncIterableIterator<Item, undefined, undefined> {
  return(): Promise<IteratorReturnResult<undefined>>;
  /** Aborted when the stream ends; its reason is the error of a failed stream. */
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
  /** Whether `wake` was called during a pull. The result of that pull may be outdated. */
  private isWoken = false;

  constructor(
    /** Returns the next item; undefined if no item is available until the next `wake`. May be asynchronous. */
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

  /** Signals that an item may be available. */
  wake(): void {
    this.isWoken = true;
    while (!this.isPulling && this.pendingReads.length > 0) {
      const item = this.pull();
      if (item === undefined) return;
      if (item instanceof Promise) this.await(item);
      else this.deliver(item);
    }
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private await(pulling: Promise<Item | undefined>): void {
    this.isPulling = true;
    this.isWoken = false;
    pulling.then(
      (item) => {
        this.isPulling = false;
        if (item !== undefined) this.deliver(item);
        if (item !== undefined || this.isWoken) this.wake();
      },
      (error) => {
        this.isPulling = false;
        this.fail(error);
      },
    );
  }

  private deliver(value: Item): void {
    this.pendingReads.shift()?.resolve({ done: false, value });
  }

  private end(reason?: unknown): void {
    if (this.ended.aborted) return;
    this.ending.abort(reason);
    for (const { resolve } of this.pendingReads.splice(0)) resolve(DONE);
    this.onEnd();
  }
}
