/**
 * The calls that read what a stream does not report.
 *
 * 1. The calls of one key run one after another, with a pause between them, so that a burst of messages causes few calls.
 * 2. Each message is followed by a call that starts after it arrived.
 * 3. A call that fails ends the stream: the caller then reads the account again.
 */
import type { StreamCall, StreamReport } from '../declaration.js';

interface StreamCallsOptions {
  read(call: StreamCall): Promise<readonly StreamReport[]>;
  emit(report: StreamReport): void;
  fail(error: unknown): void;
  /** The least time between the starts of two calls of one key, in milliseconds. */
  readonly pauseMs?: number;
}

const PAUSE_MS = 250;

export class StreamCalls {
  /** The calls that wait for the end of the running one, by key; undefined if none waits. */
  readonly #waiting = new Map<string, StreamCall | undefined>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #isClosed = false;

  constructor(private readonly options: StreamCallsOptions) {}

  add(call: StreamCall): void {
    if (this.#isClosed) return;
    const isRunning = this.#waiting.has(call.key);
    this.#waiting.set(call.key, isRunning ? call : undefined);
    if (!isRunning) this.#start(call);
  }

  /** Starts no call any more, and ignores the results of those that run. */
  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#waiting.clear();
  }

  #start(call: StreamCall): void {
    const endsAtMs = performance.now() + (this.options.pauseMs ?? PAUSE_MS);
    this.#run(call).then(
      () => this.#wait(endsAtMs - performance.now(), () => this.#continue(call.key)),
      (error: unknown) => {
        if (!this.#isClosed) this.options.fail(error);
      },
    );
  }

  async #run(call: StreamCall): Promise<void> {
    for (const report of await this.options.read(call)) if (!this.#isClosed) this.options.emit(report);
  }

  #continue(key: string): void {
    const next = this.#waiting.get(key);
    if (next === undefined) {
      this.#waiting.delete(key);
      return;
    }
    this.#waiting.set(key, undefined);
    this.#start(next);
  }

  #wait(ms: number, work: () => void): void {
    if (this.#isClosed) return;
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        work();
      },
      Math.max(0, ms),
    ).unref();
    this.#timers.add(timer);
  }
}
