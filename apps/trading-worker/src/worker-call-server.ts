import { DomainError } from '@trading-automation/contracts';
import type { Platform } from '@trading-automation/core';
import {
  serveWorkerCall,
  type VenueCatalogue,
  type WorkerCallName,
  type WorkerCalls,
} from '@trading-automation/core/exchange-accounts';
import { ExchangeError } from '@trading-automation/exchanges';
import type { BookMids } from './copying/book-mids.js';
import type { ExchangeGateway } from './exchange/exchange-gateway.js';

/** Publishes this worker's exchanges to the APIs, and serves the APIs' calls. */
export class WorkerCallServer {
  private callServers: readonly { stop(): Promise<void> }[] = [];

  constructor(
    private readonly platform: Platform,
    private readonly gateway: ExchangeGateway,
    private readonly catalogue: VenueCatalogue,
    private readonly bookMids: BookMids,
  ) {}

  async start(): Promise<void> {
    await this.catalogue.publish(this.gateway.venues.all);
    this.callServers = this.serveCalls();
  }

  /** Stops accepting calls. Resolves when the calls in progress have ended. */
  async stop(): Promise<void> {
    await Promise.all(this.callServers.map((server) => server.stop()));
  }

  private serveCalls() {
    const { credentials, balanceSync, orderReconciler } = this.gateway;
    const serve = <Name extends WorkerCallName>(
      name: Name,
      handle: (input: WorkerCalls[Name]['input'], signal: AbortSignal) => Promise<WorkerCalls[Name]['reply']>,
    ) =>
      serveWorkerCall(
        this.platform,
        name,
        handle,
        this.gateway.errorLogger('worker_call.failed', `The worker call ${name} failed.`),
      );
    return [
      serve('exchange_account.test', (input) => credentials.test(input)),
      serve('exchange_account.sync', async ({ account_id }) => {
        await balanceSync.sync(account_id).catch((error) => {
          // A rejection of the credentials is not an error here, because the caller reads it from the account.
          if (!(error instanceof ExchangeError && error.code === 'credentials_rejected'))
            throw unavailable(error);
        });
        return null;
      }),
      serve('trade_pair.book_mids', async ({ exchange, symbols }) => {
        const mids = symbols.map(
          async (symbol) => [symbol, await this.bookMids.read(exchange, symbol)] as const,
        );
        return Object.fromEntries(await Promise.all(mids));
      }),
      serve('trade.cancel', async ({ trade_id }, signal) => {
        await orderReconciler.cancel(trade_id, signal).catch((error) => {
          throw unavailable(error);
        });
        return null;
      }),
    ];
  }
}

/** Converts an error of an exchange to `service_unavailable`; returns other errors unchanged. */
function unavailable(error: unknown): unknown {
  if (!(error instanceof ExchangeError)) return error;
  return new DomainError('service_unavailable', error.message, [], { cause: error });
}
