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
import type { Asked, Ending, SharedSocket } from './shared-socket.js';

/** What a stream asks for, what it makes of the answers, and what it hands out. */
export interface Source<T> {
  /** Asked for anew after each cut. */
  ask(): Asked;
  /** Takes one answer in; false where it is to be asked for anew, as soon as there is room. */
  take(data: unknown): boolean;
  /** The next to be handed out; undefined where there is none. */
  give(): T | undefined;
  hasRoom(): boolean;
  /** Whether it goes on where the server says that there is no more. */
  readonly isEndless: boolean;
}

/** How a stream is carried. */
export interface Carriage {
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

export class CarriedStream<T> implements RealtimeStream<T> {
  readonly #source: Source<T>;
  readonly #carriage: Carriage;
  readonly #signal: AbortSignal | undefined;
  readonly #stop = new AbortController();
  readonly #readers: Reader<T>[] = [];
  /** Set once it has ended; `error` is thrown to the next reader. */
  #end: { error?: unknown } | undefined;
  /** Whether anything came, and how often nothing did since. */
  #hasTaken = false;
  #vain = 0;
  #onRoom: () => void = () => undefined;

  constructor(source: Source<T>, carriage: Carriage, { signal }: StreamOptions) {
    this.#source = source;
    this.#carriage = carriage;
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
      this.#serve();
    });
  }

  close(): void {
    this.#drop({});
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.close();
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  readonly #onAbort = () => this.#drop({ error: this.#signal?.reason });

  async #run(): Promise<void> {
    const { socket, delayMs } = this.#carriage;
    const stop = this.#stop.signal;
    while (!stop.aborted) {
      const ending = await socket.carry(this.#source.ask(), (data) => this.#take(data), stop);
      if (ending.kind === 'stopped' || (ending.kind === 'completed' && !this.#source.isEndless)) return;
      const failures = this.#vain++;
      if ('error' in ending) this.#judge(ending, failures);
      if (!this.#source.hasRoom()) await this.#room();
      // After a cut, the socket itself waits.
      else if (ending.kind !== 'cut') await waitFor(this.#delayMs(ending, delayMs(failures)), stop);
    }
  }

  /** What never worked is tried a few times; what did work is waited for as long as it takes. */
  #judge({ kind, error }: Failed, failures: number): void {
    const { socket, maxRetries } = this.#carriage;
    const hasWorked = kind === 'cut' ? socket.wasConnected : this.#hasTaken;
    if (!hasWorked && failures >= maxRetries) throw error;
  }

  #delayMs(ending: Ending, ownMs: number): number {
    const asked = 'error' in ending && 'retryAfterMs' in ending.error ? ending.error.retryAfterMs : undefined;
    return Math.max(ownMs, asked ?? 0);
  }

  #take(data: unknown): boolean {
    const isTaken = this.#source.take(data);
    if (isTaken) {
      this.#hasTaken = true;
      this.#vain = 0;
    }
    this.#serve();
    return isTaken;
  }

  /** Hands out what there is to those who wait. */
  #serve(): void {
    while (this.#readers.length > 0) {
      const value = this.#source.give();
      if (value === undefined && this.#end === undefined) break;
      const reader = this.#readers.shift()!;
      if (value !== undefined) reader.resolve({ done: false, value });
      else if ('error' in this.#end!) {
        const { error } = this.#end;
        this.#end = {};
        reader.reject(error);
      } else reader.resolve(DONE);
    }
    if (this.#source.hasRoom()) this.#onRoom();
  }

  /** Resolves as soon as the source has room, or the stream has ended. */
  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#onRoom = resolve;
      if (this.#source.hasRoom()) resolve();
    });
  }

  #finish(end: { error?: unknown }): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#stop.abort();
    this.#onRoom();
    this.#carriage.streams.delete(this);
    this.#serve();
  }

  /** Ends it at once: nothing more is handed out. */
  #drop(end: { error?: unknown }): void {
    while (this.#source.give() !== undefined);
    this.#finish(end);
  }
}

interface Failed {
  readonly kind: 'cut' | 'refused';
  readonly error: ApiError | ConnectionError;
}
