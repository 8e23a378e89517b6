import {
  type ExchangeClient,
  ExchangeError,
  type VenueFill,
  type VenueOrder,
} from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import type { AccountStreams } from '../streams/account-streams.js';

/** The response to an order, with all of its fills if the exchange includes them. */
export type PlacedOrder = VenueOrder & { readonly fills?: readonly VenueFill[] | undefined };

/** Reads the fills of orders, except those that a live stream is about to report. */
export class OrderFills {
  constructor(
    private readonly streams: AccountStreams,
    private readonly logger: Logger,
  ) {}

  /** Whether the fills of an order that was just placed are only known after a call. */
  mustRead(accountId: string, { fills, filledAmount }: PlacedOrder): boolean {
    // A stream will report the fills. If it does not, the next check reads them.
    return fills === undefined && filledAmount !== '0' && !this.streams.isReporting(accountId);
  }

  /** Reads the fills of an order that was just placed. */
  readPlaced(client: ExchangeClient, placed: PlacedOrder): Promise<readonly VenueFill[]> {
    return this.read(client.as('copy_read'), placed);
  }

  /** Returns the fills of an order that a check found at the exchange. The live stream must report them, too. */
  async readFound(
    accountId: string,
    client: ExchangeClient,
    order: VenueOrder,
  ): Promise<readonly VenueFill[]> {
    const fills = await this.read(client, order);
    this.streams.expectFills(accountId, fills, order);
    return fills;
  }

  /** Registers the state of an order that a check found and that was not stored yet. The stream must report it, too. */
  expectOrder(accountId: string, order: VenueOrder): void {
    this.streams.expectOrder(accountId, order);
  }

  /** Reads fills. If that fails, returns none: the trade cannot end without its fills, so the next check reads them. */
  private async read(client: ExchangeClient, order: VenueOrder): Promise<readonly VenueFill[]> {
    try {
      return await client.fetchFills({ symbol: order.symbol, exchangeOrderId: order.exchangeOrderId });
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      this.logger.warn(
        { event: 'fill_read.failed', outcome: error.outcome, code: error.code },
        'Could not read the fills of an order; the next check reads them.',
      );
      return [];
    }
  }
}
