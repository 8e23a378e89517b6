import type { TradingType } from '@trading-automation/contracts';
import type { UserShares } from '@trading-automation/core/exchange-accounts';
import type { Opener } from '@trading-automation/core/sealing';
import {
  type ConnectOptions,
  type ExchangeClient,
  ExchangeError,
  type ExchangeVenue,
} from '@trading-automation/exchanges';

export interface SealedCredentials {
  readonly sealed: string;
  /** The context for which the credentials were sealed. They can be opened only with the same context. */
  readonly context: string;
}

/** The exchanges in this worker's configuration. Only this class opens credentials. */
export class Venues {
  private readonly byId: ReadonlyMap<string, ExchangeVenue>;

  constructor(
    readonly all: readonly ExchangeVenue[],
    private readonly opener: Opener,
    /** The share of each user in the limits of these exchanges. */
    readonly shares: UserShares,
  ) {
    this.byId = new Map(all.map((venue) => [venue.id, venue]));
  }

  /** @throws {ExchangeError} if the exchange is not in this worker's configuration */
  get(id: string): ExchangeVenue {
    const venue = this.byId.get(id);
    if (venue === undefined)
      throw new ExchangeError('retryable', 'unreachable', 'The exchange is not available at the moment.');
    return venue;
  }

  /**
   * Connects to an exchange with sealed credentials.
   *
   * @param options the account's key in the call budget (default: derived from the credentials), its user and address
   * @throws if the credentials cannot be opened, or as `get`
   */
  async connect(
    id: string,
    { sealed, context }: SealedCredentials,
    tradingType: TradingType,
    options: ConnectOptions = {},
  ): Promise<ExchangeClient> {
    const credentials = JSON.parse(await this.opener.open(sealed, context));
    return this.get(id).connect(credentials, tradingType, options);
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((venue) => venue.close()));
  }
}
