import {
  AccountSyncService,
  type ConnectableAccount,
  credentialsContext,
  type OwnedAccount,
} from '@trading-automation/core/exchange-accounts';
import type { Opener } from '@trading-automation/core/sealing';
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
  /** By which the owner of the account knows that the credentials are the same. */
  credentialsHash: string | null;
}

/** One client for each account in use, made anew when the account's credentials change. */
export class AccountClients {
  private readonly connected = new Map<string, CachedClient>();

  constructor(
    private readonly accountSync: AccountSyncService,
    private readonly venues: Venues,
    private readonly opener: Opener,
  ) {}

  /** @throws {ExchangeError} where the account is removed, refused, or of an exchange that is not here */
  async open(accountId: string): Promise<OpenAccount> {
    const account = await this.accountSync.find(accountId);
    if (account === null || !account.isActive) {
      await this.forget(accountId);
      throw new ExchangeError(
        'fatal',
        'credentials_rejected',
        'The account was removed, or the exchange refused its credentials.',
      );
    }
    const venue = this.venues.get(account.exchange);
    const known = this.connected.get(accountId);
    if (known?.account.credentialsSealed === account.credentialsSealed)
      return { account, venue, client: await known.client };
    // Noted before it is there: whoever comes meanwhile waits for the same one.
    const client = this.connect(account, venue);
    this.connected.set(accountId, { account, venue, client, credentialsHash: null });
    client.catch(() => {
      if (this.connected.get(accountId)?.client === client) this.connected.delete(accountId);
    });
    await closed(known);
    return { account, venue, client: await client };
  }

  /**
   * As `open`, for the owner of the account: it knows whether the account has changed, and asks the database only then.
   *
   * @throws {ExchangeError} as `open`
   */
  async openOwned({ accountId, isActive, credentialsHash }: OwnedAccount): Promise<OpenAccount> {
    const known = this.connected.get(accountId);
    if (isActive && known !== undefined && known.credentialsHash === credentialsHash)
      return { account: known.account, venue: known.venue, client: await known.client };
    const open = await this.open(accountId);
    const connected = this.connected.get(accountId);
    if (connected !== undefined) connected.credentialsHash = credentialsHash;
    return open;
  }

  /** Where the exchange refused the credentials, it ends the use of the account, unless that has others by now. */
  async onExchangeError({ id, credentialsSealed }: ConnectableAccount, error: ExchangeError): Promise<void> {
    if (error.outcome !== 'fatal' || error.code !== 'credentials_rejected') return;
    if (this.connected.get(id)?.account.credentialsSealed === credentialsSealed) await this.forget(id);
    await this.accountSync.recordSyncFailure(id, credentialsSealed);
  }

  private async connect(account: ConnectableAccount, venue: ExchangeVenue): Promise<ExchangeClient> {
    const { id, credentialsSealed, tradingType } = account;
    const text = await this.opener.open(credentialsSealed, credentialsContext(id));
    return venue.connect(JSON.parse(text), tradingType, { accountKey: id });
  }

  async close(): Promise<void> {
    await Promise.all([...this.connected.keys()].map((id) => this.forget(id)));
  }

  private async forget(accountId: string): Promise<void> {
    const known = this.connected.get(accountId);
    this.connected.delete(accountId);
    await closed(known);
  }
}

/** Closes what could be connected. */
async function closed(connected: CachedClient | undefined): Promise<void> {
  const client = await connected?.client.catch(() => undefined);
  await client?.close();
}
