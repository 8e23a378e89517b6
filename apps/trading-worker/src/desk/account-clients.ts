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
  readonly client: Promise<ExchangeClient>;
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
    if (known?.sealed === account.credentialsSealed) return { account, venue, client: await known.client };
    // Noted before it is there: whoever comes meanwhile waits for the same one.
    const client = this.connect(account, venue);
    this.connected.set(accountId, { sealed: account.credentialsSealed, client });
    client.catch(() => {
      if (this.connected.get(accountId)?.client === client) this.connected.delete(accountId);
    });
    await closed(known);
    return { account, venue, client: await client };
  }

  private async connect(account: AccountToUse, venue: ExchangeVenue): Promise<ExchangeClient> {
    const { id, credentialsSealed, tradingType } = account;
    const text = await this.opener.open(credentialsSealed, credentialsContext(id));
    return venue.connect(JSON.parse(text), tradingType);
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
async function closed(connected: Connected | undefined): Promise<void> {
  const client = await connected?.client.catch(() => undefined);
  await client?.close();
}
