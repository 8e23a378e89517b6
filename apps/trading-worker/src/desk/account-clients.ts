import {
  type AccountToUse,
  AccountUpkeep,
  credentialsContext,
} from '@trading-automation/core/exchange-accounts';
import type { Opener } from '@trading-automation/core/sealing';
import { type ExchangeClient, ExchangeError, type ExchangeVenue } from '@trading-automation/exchanges';
import { type Venues } from './venues.js';

export interface OpenAccount {
  readonly account: AccountToUse;
  readonly venue: ExchangeVenue;
  readonly client: ExchangeClient;
}

interface Connected {
  readonly sealed: string;
  readonly client: ExchangeClient;
}

/** One client for each account in use, made anew when the account's credentials change. */
export class AccountClients {
  private readonly connected = new Map<string, Connected>();

  constructor(
    private readonly upkeep: AccountUpkeep,
    private readonly venues: Venues,
    private readonly opener: Opener,
  ) {}

  /** @throws {ExchangeError} where the account is removed, refused, or of an exchange that is not here */
  async open(accountId: string): Promise<OpenAccount> {
    const account = await this.upkeep.find(accountId);
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
    if (known?.sealed === account.credentialsSealed) return { account, venue, client: known.client };
    const text = await this.opener.open(account.credentialsSealed, credentialsContext(accountId));
    await this.forget(accountId);
    const client = venue.connect(JSON.parse(text), account.tradingType);
    this.connected.set(accountId, { sealed: account.credentialsSealed, client });
    return { account, venue, client };
  }

  async close(): Promise<void> {
    await Promise.all([...this.connected.keys()].map((id) => this.forget(id)));
  }

  private async forget(accountId: string): Promise<void> {
    const known = this.connected.get(accountId);
    this.connected.delete(accountId);
    await known?.client.close();
  }
}
