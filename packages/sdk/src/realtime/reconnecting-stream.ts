/**
 * A stream of live data that reconnects automatically.
 *
 * 1. It starts when it is created. It ends when it is closed, when its loop is left or when its signal is aborted. It
 *    also ends when the server returns a permanent error, which is thrown after all items before it.
 * 2. The source buffers unread items up to a limit and decides what happens beyond it.
 */
import type { ApiError, ConnectionError } from '../core/errors.js';
import { waitFor } from '../core/wait.js';
import type { RealtimeStream, StreamOptions } from './realtime-stream.js';
import type { OperationOutcome, OperationPayload, SharedSocket } from './shared-socket.js';

/** Provides the operation of a stream, processes the results of the operation, and buffers the items for readers. */
export interface StreamSource<T> {
  /** Returns the operation to send; called again after each disconnect. */
  payload(): OperationPayload;
  /** Processes one result. Returns false if the operation must be sent again once there is capacity. */
  push(data: unknown): boolean;
  /** Removes and returns the next item; undefined if no item is available. */
  shift(): T | undefined;
  /** Returns whether the source can buffer another item. */
  hasCapacity(): boolean;
  /** Whether to send the operation again when the server completes it. If false, the stream then ends. */
  readonly isEndless: boolean;
}

/** What a stream shares with the other streams of the same `Realtime`. */
export interface ReconnectSettings {
  readonly socket: SharedSocket;
  readonly maxRetries: number;
  /** All open streams. */
  readonly streams: Set<{ close(): void }>;
}

interface Reader<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(reason: unknown): void;
}

const DONE = { done: true, value: undefined } as const;

export class ReconnectingStream<T> implements RealtimeStream<T> {
  readonly #source: StreamSource<T>;
  readonly #settings: ReconnectSettings;
  readonly #signal: AbortSignal | undefined;
  readonly #stop = new AbortController();
  readonly #readers: Reader<T>[] = [];
  /** Set once the stream has ended. The next reader gets `error`, later readers only the end. */
  #end: { error?: unknown } | undefined;
  /** Whether the source has accepted a result since the stream was created. */
  #hasReceived = false;
  /** Failures since the last accepted result. */
  #failures = 0;
  #onCapacity: () => void = () => undefined;

  constructor(source: StreamSource<T>, settings: ReconnectSettings, { signal }: StreamOptions) {
    this.#source = source;
    this.#settings = settings;
    this.#signal = signal;
    settings.streams.add(this);
    signal?.addEventListener('abort', this.#onAbort);
    if (signal?.aborted) this.#onAbort();
    this.#run().then(
      () => this.#finish({}),
      (error) => this.#finish({ error }),
    );
  }

  next(): Promise<IteratorResult<T, undefined>> {
    return new Promise((resolve, reject) => {
      this.#readers.push({ resolve, reject });
      this.#flush();
    });
  }

  close(): void {
    this.#discardAndFinish({});
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.close();
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  readonly #onAbort = () => this.#discardAndFinish({ error: this.#signal?.reason });

  async #run(): Promise<void> {
    const { socket } = this.#settings;
    const stop = this.#stop.signal;
    while (!stop.aborted) {
      const outcome = await socket.run(this.#source.payload(), (data) => this.#push(data), stop);
      if (outcome.kind === 'stopped' || (outcome.kind === 'completed' && !this.#source.isEndless)) return;
      const failures = this.#failures++;
      if ('error' in outcome) this.#throwIfExhausted(outcome, failures);
      if (!this.#source.hasCapacity()) await this.#waitForCapacity();
      // After a disconnect, the shared socket itself waits before it reconnects.
      else if (outcome.kind !== 'cut')
        await waitFor(this.#delayMs(outcome, socket.backoffMs(failures)), stop);
    }
  }

  /** Throws if a connection or stream has never worked and fails after `maxRetries` retries. */
  #throwIfExhausted({ kind, error }: FailedOutcome, failures: number): void {
    const { socket, maxRetries } = this.#settings;
    const hasWorked = kind === 'cut' ? socket.wasConnected : this.#hasReceived;
    if (!hasWorked && failures >= maxRetries) throw error;
  }

  #delayMs(outcome: OperationOutcome, backoffMs: number): number {
    const requestedMs =
      'error' in outcome && 'retryAfterMs' in outcome.error ? outcome.error.retryAfterMs : undefined;
    return Math.max(backoffMs, requestedMs ?? 0);
  }

  #push(data: unknown): boolean {
    const isAccepted = this.#source.push(data);
    if (isAccepted) {
      this.#hasReceived = true;
      this.#failures = 0;
    }
    this.#flush();
    return isAccepted;
  }

  /** Resolves the waiting readers with buffered items or with the end. */
  #flush(): void {
    while (this.#readers.length > 0) {
      const value = this.#source.shift();
      if (value === undefined && this.#end === undefined) break;
      const reader = this.#readers.shift()!;
      if (value !== undefined) reader.resolve({ done: false, value });
      else if ('error' in this.#end!) {
        const { error } = this.#end;
        this.#end = {};
        reader.reject(error);
      } else reader.resolve(DONE);
    }
    if (this.#source.hasCapacity()) this.#onCapacity();
  }

  /** Resolves as soon as the source has capacity or the stream has ended. */
  #waitForCapacity(): Promise<void> {
    return new Promise((resolve) => {
      this.#onCapacity = resolve;
      if (this.#source.hasCapacity()) resolve();
    });
  }

  #finish(end: { error?: unknown }): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#stop.abort();
    this.#onCapacity();
    this.#settings.streams.delete(this);
    this.#flush();
  }

  /** Ends the stream immediately and drops unread items. */
  #discardAndFinish(end: { error?: unknown }): void {
    while (this.#source.shift() !== undefined);
    this.#finish(end);
  }
}

interface FailedOutcome {
  readonly kind: 'cut' | 'refused';
  readonly error: ApiError | ConnectionError;
}
