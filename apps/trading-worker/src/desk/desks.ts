import type { AccountUpkeep } from '@trading-automation/core/exchange-accounts';
import type { Opener } from '@trading-automation/core/sealing';
import type { TradeExecution } from '@trading-automation/core/trades';
import type { ExchangeVenue } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import { AccountClients } from './account-clients.js';
import { AccountDesk } from './account-desk.js';
import { CredentialsDesk } from './credentials-desk.js';
import { RestingOrders } from './resting-orders.js';
import { TradeDesk } from './trade-desk.js';
import { Venues } from './venues.js';

export interface DesksParts {
  readonly venues: readonly ExchangeVenue[];
  readonly opener: Opener;
  readonly logger: Logger;
  readonly upkeep: AccountUpkeep;
  readonly execution: TradeExecution;
}

/** Everything that talks to exchanges. */
export class Desks {
  readonly venues: Venues;
  readonly accounts: AccountDesk;
  readonly trades: TradeDesk;
  readonly credentials: CredentialsDesk;
  readonly restingOrders: RestingOrders;
  private readonly clients: AccountClients;

  constructor({ venues, opener, logger, upkeep, execution }: DesksParts) {
    this.venues = new Venues(venues);
    this.clients = new AccountClients(upkeep, this.venues, opener);
    this.accounts = new AccountDesk(upkeep, this.clients, logger);
    this.trades = new TradeDesk({
      execution,
      upkeep,
      clients: this.clients,
      accounts: this.accounts,
      logger,
    });
    this.restingOrders = new RestingOrders(execution, this.clients);
    this.credentials = new CredentialsDesk(this.venues, opener);
  }

  /** Lets what is being read be stored, then closes every connection. */
  async close(): Promise<void> {
    await this.accounts.settle();
    await this.clients.close();
    await this.venues.close();
  }
}
