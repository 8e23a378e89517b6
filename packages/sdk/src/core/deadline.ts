/** What ends an attempt before its answer is read: its time, and the caller's signal. */
import { ApiError, ConnectionError, TimeoutError } from './errors.js';

export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #onAbort = () => this.#controller.abort();
  #isOver = false;

  constructor(
    private readonly timeoutMs: number,
    private readonly caller: AbortSignal | undefined,
  ) {
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#controller.abort();
    }, timeoutMs);
    caller?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Aborted by whichever comes first. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on the caller alone ends it. */
  stopClock(): void {
    clearTimeout(this.#timer);
  }

  /** Nothing ends it any more. */
  end(): void {
    this.stopClock();
    this.caller?.removeEventListener('abort', this.#onAbort);
  }

  /** What went wrong, as the caller is told: an abort is the signal's reason, and what fetch says is why no answer came. */
  failure(error: unknown, origin: string): unknown {
    if (this.caller?.aborted) return this.caller.reason;
    if (error instanceof ApiError || error instanceof ConnectionError) return error;
    if (this.#isOver) return new TimeoutError(`No answer within ${this.timeoutMs} ms.`, { cause: error });
    return new ConnectionError(`No answer from ${origin}: ${reasonOf(error)}`, { cause: error });
  }
}

/** In words or a code: fetch says "fetch failed", and the reason below it. */
function reasonOf(error: unknown): string {
  const { message, cause } = Object(error) as {
    message?: unknown;
    cause?: { code?: unknown; message?: unknown };
  };
  return String(cause?.code ?? cause?.message ?? message ?? error);
}
