import { type AccountStreamHandler, ExchangeError } from '../../port.js';
import type { CallAccount } from '../call.js';
import type { AccountEvent } from '../declaration.js';
import { failure, MalformedResponse } from '../failures.js';

/** The stream of one account. It ends once: it is closed or lost. */
export class AccountSubscription {
  hasEnded = false;
  #unsubscribe: (() => Promise<void>) | undefined;
  readonly #deadline: NodeJS.Timeout;

  constructor(
    readonly account: CallAccount,
    private readonly handler: AccountStreamHandler,
    startTimeoutMs: number,
  ) {
    this.#deadline = setTimeout(() => this.#timeOut(), startTimeoutMs);
  }

  onSubscribed(): void {
    clearTimeout(this.#deadline);
    this.handler.onConnected();
  }

  /** Passes an event on. Returns false if the exchange ends the stream with it. */
  onEvent(event: AccountEvent): boolean {
    switch (event.kind) {
      case 'order':
        this.handler.onOrder(event.order, event.fills);
        return true;
      case 'balances':
        this.handler.onBalances(event.balances, event.at);
        return true;
      case 'positions':
        this.handler.onPositions?.(event.positions, event.at);
        return true;
      case 'funding':
        this.handler.onFunding?.();
        return true;
      case 'ended':
        return false;
    }
  }

  /** @param unsubscribe ends the subscription at the exchange */
  attach(unsubscribe: () => Promise<void>): void {
    this.#unsubscribe = unsubscribe;
  }

  /** Ends the stream and notifies the handler, for the last time. An exception of the handler is ignored. */
  lose(error: ExchangeError): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    clearTimeout(this.#deadline);
    try {
      this.handler.onLost(error);
    } catch {
      // onLost is the last callback, so nothing is left to clean up.
    }
  }

  async close(): Promise<void> {
    if (this.hasEnded) return;
    this.hasEnded = true;
    clearTimeout(this.#deadline);
    await this.#unsubscribe?.();
  }

  #timeOut(): void {
    this.lose(failure(['retryable', 'no_answer']));
    void this.#unsubscribe?.();
  }
}

export function asExchangeError(error: unknown): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const detail = error instanceof MalformedResponse ? error.message : undefined;
  return failure(['retryable', 'bad_answer'], {
    type: error instanceof Error ? error.name : typeof error,
    detail,
  });
}
