import type { Platform } from '@trading-automation/core';
import { serveWorkerCalls, type VenueCatalogue } from '@trading-automation/core/exchange-accounts';
import { ExchangeError } from '@trading-automation/exchanges';
import type { ExchangeGateway } from './exchange/exchange-gateway.js';
import { toDomainError, toLeverageError } from './exchange/to-domain-error.js';
import type { MarketSnapshots } from './market-data/market-snapshots.js';

/** Publishes this worker's exchanges to the APIs, and serves the APIs' calls. */
export class WorkerCallServer {
  private callServer: { stop(): Promise<void> } | undefined;

  constructor(
    private readonly platform: Platform,
    private readonly gateway: ExchangeGateway,
    private readonly catalogue: VenueCatalogue,
    private readonly snapshots: MarketSnapshots,
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
    const { credentials, balanceSync, orderReconciler, accounts } = this.gateway;
    return serveWorkerCalls(
      this.platform,
      {
        'exchange_account.test': (input, _signal, userId) => credentials.test(input, userId),
        'exchange_account.sync': async ({ account_id }) => {
          await balanceSync.sync(account_id, 'user').catch((error) => {
            // A rejection of the credentials is not an error here, because the caller reads it from the account.
            if (!(error instanceof ExchangeError && error.code === 'credentials_rejected'))
              throw toDomainError(error);
          });
          return null;
        },
        'position.set_leverage': async ({ account_id, symbol, leverage, margin_mode }) =>
          accounts.positions
            .setLeverage(account_id, symbol, { leverage, marginMode: margin_mode })
            .catch((error) => {
              throw toLeverageError(error);
            }),
        'trade.cancel': async ({ trade_id }, signal) => {
          await orderReconciler.cancel(trade_id, signal).catch((error) => {
            throw toDomainError(error);
          });
          return null;
        },
        ...this.snapshots.calls,
      },
      this.gateway.errorLogger('worker_call.failed', 'A call of an API failed.'),
      this.gateway.venues.shares,
    );
  }
}
