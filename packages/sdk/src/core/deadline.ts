/** Aborts an attempt if its time limit passes, or if its caller aborts, before the response is read. */
import { ApiError, ConnectionError, TimeoutError } from './errors.js';

export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #onAbort = () => this.#controller.abort();
  #hasTimedOut = false;

  constructor(
    private readonly timeoutMs: number,
    private readonly callerSignal: AbortSignal | undefined,
  ) {
    this.#timer = setTimeout(() => {
      this.#hasTimedOut = true;
      this.#controller.abort();
    }, timeoutMs);
    callerSignal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Aborted by the time limit or by the caller, whichever comes first. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Stops the timer. An abort by the caller's signal stays in effect. */
  stopClock(): void {
    clearTimeout(this.#timer);
  }

  /** Stops the timer and stops listening to the caller's signal. */
  end(): void {
    this.stopClock();
    this.callerSignal?.removeEventListener('abort', this.#onAbort);
  }

  /** Returns the error to throw: the reason of the caller's signal after an abort, or else an error of the SDK. */
  failure(error: unknown, origin: string): unknown {
    if (this.callerSignal?.aborted) return this.callerSignal.reason;
    if (error instanceof ApiError || error instanceof ConnectionError) return error;
    if (this.#hasTimedOut)
      return new TimeoutError(`No response within ${this.timeoutMs} ms.`, { cause: error });
    return new ConnectionError(`No response from ${origin}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Returns the code or message of the cause: fetch itself only says "fetch failed". */
function reasonOf(error: unknown): string {
  const { message, cause } = Object(error) as {
    message?: unknown;
    cause?: { code?: unknown; message?: unknown };
  };
  return String(cause?.code ?? cause?.message ?? message ?? error);
}
