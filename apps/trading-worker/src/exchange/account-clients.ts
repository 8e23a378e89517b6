import {
  type AccountRights,
  AccountSyncService,
  type ConnectableAccount,
  credentialsContext,
  type OwnedAccount,
} from '@trading-automation/core/exchange-accounts';
import { type ExchangeClient, ExchangeError, type ExchangeVenue } from '@trading-automation/exchanges';
import { type Venues } from './venues.js';

export interface OpenAccount {
  readonly account: ConnectableAccount;
  readonly venue: ExchangeVenue;
  readonly client: ExchangeClient;
}

interface CachedClient {
  readonly account: ConnectableAccount;
  readonly venue: ExchangeVenue;
  readonly client: Promise<ExchangeClient>;
  /** The hash of the credentials that `openOwned` was last called with; null if only `open` was called. */
  credentialsHash: string | null;
}

/** Caches one client for each account in use, and reconnects when the account's credentials change. */
export class AccountClients {
  private readonly cache = new Map<string, CachedClient>();

  constructor(
    private readonly accountSync: AccountSyncService,
    private readonly rights: AccountRights,
    private readonly venues: Venues,
  ) {}

  /** @throws {ExchangeError} if the account is deleted, its credentials are rejected or its exchange is unknown */
  async open(accountId: string): Promise<OpenAccount> {
    const account = await this.accountSync.find(accountId);
    if (account === null || !account.isActive) {
      await this.remove(accountId);
      throw new ExchangeError(
        'fatal',
        'credentials_rejected',
        'The account was deleted, or the exchange rejected its credentials.',
      );
    }
    const venue = this.venues.get(account.exchange);
    const cached = this.cache.get(accountId);
    if (cached?.account.credentialsSealed === account.credentialsSealed)
      return { account, venue, client: await cached.client };
    // The client is cached before it is connected, so that concurrent callers share it.
    const client = this.connect(account);
    this.cache.set(accountId, { account, venue, client, credentialsHash: null });
    client.catch(() => {
      if (this.cache.get(accountId)?.client === client) this.cache.delete(accountId);
    });
    await closeClient(cached);
    return { account, venue, client: await client };
  }

  /**
   * Opens an account like `open`, for the worker that owns it. That worker knows whether the account has changed, so
   * the database is read only after a change.
   *
   * @throws {ExchangeError} as `open`
   */
  async openOwned({ accountId, isActive, credentialsHash }: OwnedAccount): Promise<OpenAccount> {
    const cached = this.cache.get(accountId);
    if (isActive && cached !== undefined && cached.credentialsHash === credentialsHash)
      return { account: cached.account, venue: cached.venue, client: await cached.client };
    const open = await this.open(accountId);
    const opened = this.cache.get(accountId);
    if (opened !== undefined) opened.credentialsHash = credentialsHash;
    return open;
  }

  /**
   * If the exchange rejected the credentials, closes their client and records a failed sync. This deactivates the
   * account, unless the credentials have been replaced since. An account in hedge mode is deactivated, too.
   */
  async onExchangeError({ id, credentialsSealed }: ConnectableAccount, error: ExchangeError): Promise<void> {
    if (error.code === 'position_mode') {
      await this.rights.deactivate(id, credentialsSealed, 'POSITION_MODE');
      return;
    }
    if (error.outcome !== 'fatal' || error.code !== 'credentials_rejected') return;
    if (this.cache.get(id)?.account.credentialsSealed === credentialsSealed) await this.remove(id);
    await this.accountSync.recordSyncFailure(id, credentialsSealed);
  }

  private async connect(account: ConnectableAccount): Promise<ExchangeClient> {
    const { id, exchange, credentialsSealed, tradingType, userId, egressAddress, walletId } = account;
    const credentials = { sealed: credentialsSealed, context: credentialsContext(id) };
    const client = await this.venues.connect(exchange, credentials, tradingType, {
      accountKey: walletId,
      userId,
      egress: egressAddress ?? undefined,
    });
    // The key of an account may be valid for one address only, so the account stays with the first one.
    if (client.egress !== undefined && client.egress !== egressAddress)
      await this.accountSync.storeEgress(id, client.egress);
    return client;
  }

  async close(): Promise<void> {
    await Promise.all([...this.cache.keys()].map((id) => this.remove(id)));
  }

  private async remove(accountId: string): Promise<void> {
    const cached = this.cache.get(accountId);
    this.cache.delete(accountId);
    await closeClient(cached);
  }
}

/** Closes a client, unless connecting it failed. */
async function closeClient(cached: CachedClient | undefined): Promise<void> {
  const client = await cached?.client.catch(() => undefined);
  await client?.close();
}
