import { DomainError } from '@trading-automation/contracts';
import type { Platform } from '@trading-automation/core';
import {
  serveWorkerCalls,
  shareUsedUp,
  type VenueCatalogue,
} from '@trading-automation/core/exchange-accounts';
import { ExchangeError } from '@trading-automation/exchanges';
import type { BookMids } from './copying/book-mids.js';
import type { ExchangeGateway } from './exchange/exchange-gateway.js';

/** Publishes this worker's exchanges to the APIs, and serves the APIs' calls. */
export class WorkerCallServer {
  private callServer: { stop(): Promise<void> } | undefined;

  constructor(
    private readonly platform: Platform,
    private readonly gateway: ExchangeGateway,
    private readonly catalogue: VenueCatalogue,
    private readonly bookMids: BookMids,
  ) {}

  async start(): Promise<void> {
    await this.catalogue.publish(this.gateway.venues.all);
    this.callServer = this.serveCalls();
  }

  /** Stops accepting calls. Resolves when the calls in progress have ended. */
  async stop(): Promise<void> {
    await this.callServer?.stop();
  }

  private serveCalls() {
    const { credentials, balanceSync, orderReconciler } = this.gateway;
    return serveWorkerCalls(
      this.platform,
      {
        'exchange_account.test': (input, _signal, userId) => credentials.test(input, userId),
        'exchange_account.sync': async ({ account_id }) => {
          await balanceSync.sync(account_id, 'user').catch((error) => {
            // A rejection of the credentials is not an error here, because the caller reads it from the account.
            if (!(error instanceof ExchangeError && error.code === 'credentials_rejected'))
              throw unavailable(error);
          });
          return null;
        },
        'trade.cancel': async ({ trade_id }, signal) => {
          await orderReconciler.cancel(trade_id, signal).catch((error) => {
            throw unavailable(error);
          });
          return null;
        },
        'trade_pair.book_mids': async ({ exchange, symbols }) => {
          const mids = symbols.map(
            async (symbol) => [symbol, await this.bookMids.read(exchange, symbol)] as const,
          );
          return Object.fromEntries(await Promise.all(mids));
        },
      },
      this.gateway.errorLogger('worker_call.failed', 'A call of an API failed.'),
      this.gateway.venues.shares,
    );
  }
}

/**
 * Converts an error of an exchange: `rate_limited` if the user's own share of its limit is used up, `exchange_unavailable` if
 * it does not respond, `service_unavailable` if it refuses what this worker sent. Returns other errors unchanged.
 */
function unavailable(error: unknown): unknown {
  if (!(error instanceof ExchangeError)) return error;
  if (error.retryInMs !== undefined) return shareUsedUp(error.retryInMs);
  const isSilent = error.outcome === 'retryable' || error.outcome === 'unknown';
  const code = isSilent ? 'exchange_unavailable' : 'service_unavailable';
  return new DomainError(code, error.message, [], { cause: error });
}
