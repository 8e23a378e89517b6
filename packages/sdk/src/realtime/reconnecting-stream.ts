/**
 * A stream of live data, which goes on over cuts.
 *
 * 1. It begins when it is made, and ends when it is closed, when its loop is left, when its signal is aborted, and when
 *    the server refuses what no waiting mends: that is thrown, after all that came before it.
 * 2. What comes while nobody reads is kept, to a bound: the source says what is done beyond it.
 */
import type { ApiError, ConnectionError } from '../core/errors.js';
import { waitFor } from '../core/wait.js';
import type { RealtimeStream, StreamOptions } from './realtime-stream.js';
import type { OperationOutcome, OperationPayload, SharedSocket } from './shared-socket.js';

/** What a stream asks for, what it makes of the answers, and what it hands out. */
export interface StreamSource<T> {
  /** Asked for anew after each cut. */
  payload(): OperationPayload;
  /** Takes one answer in; false where it is to be asked for anew, as soon as there is room. */
  push(data: unknown): boolean;
  /** The next to be handed out; undefined where there is none. */
  shift(): T | undefined;
  hasCapacity(): boolean;
  /** Whether it goes on where the server says that there is no more. */
  readonly isEndless: boolean;
}

/** How a stream is carried. */
export interface ReconnectSettings {
  readonly socket: SharedSocket;
  readonly maxRetries: number;
  readonly delayMs: (failures: number) => number;
  /** All that is open. */
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
  /** Set once it has ended; `error` is thrown to the next reader. */
  #end: { error?: unknown } | undefined;
  /** Whether anything came, and how often nothing did since. */
  #hasTaken = false;
  #failures = 0;
  #onCapacity: () => void = () => undefined;

  constructor(source: StreamSource<T>, carriage: ReconnectSettings, { signal }: StreamOptions) {
    this.#source = source;
    this.#settings = carriage;
    this.#signal = signal;
    carriage.streams.add(this);
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
    const { socket, delayMs } = this.#settings;
    const stop = this.#stop.signal;
    while (!stop.aborted) {
      const ending = await socket.run(this.#source.payload(), (data) => this.#take(data), stop);
      if (ending.kind === 'stopped' || (ending.kind === 'completed' && !this.#source.isEndless)) return;
      const failures = this.#failures++;
      if ('error' in ending) this.#throwIfExhausted(ending, failures);
      if (!this.#source.hasCapacity()) await this.#waitForCapacity();
      // After a cut, the socket itself waits.
      else if (ending.kind !== 'cut') await waitFor(this.#delayMs(ending, delayMs(failures)), stop);
    }
  }

  /** What never worked is tried a few times; what did work is waited for as long as it takes. */
  #throwIfExhausted({ kind, error }: Failed, failures: number): void {
    const { socket, maxRetries } = this.#settings;
    const hasWorked = kind === 'cut' ? socket.wasConnected : this.#hasTaken;
    if (!hasWorked && failures >= maxRetries) throw error;
  }

  #delayMs(ending: OperationOutcome, ownMs: number): number {
    const asked = 'error' in ending && 'retryAfterMs' in ending.error ? ending.error.retryAfterMs : undefined;
    return Math.max(ownMs, asked ?? 0);
  }

  #take(data: unknown): boolean {
    const isTaken = this.#source.push(data);
    if (isTaken) {
      this.#hasTaken = true;
      this.#failures = 0;
    }
    this.#flush();
    return isTaken;
  }

  /** Hands out what there is to those who wait. */
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

  /** Resolves as soon as the source has room, or the stream has ended. */
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

  /** Ends it at once: nothing more is handed out. */
  #discardAndFinish(end: { error?: unknown }): void {
    while (this.#source.shift() !== undefined);
    this.#finish(end);
  }
}

interface Failed {
  readonly kind: 'cut' | 'refused';
  readonly error: ApiError | ConnectionError;
}
