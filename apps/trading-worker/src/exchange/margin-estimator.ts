import type { MarginEstimates, OpenMarkets } from '@trading-automation/core/positions';
import type { Logger } from '@trading-automation/runtime';
import type { Venues } from './venues.js';

/** An exchange whose mark prices are stored, and the symbols that it has no mark price of. */
interface MovedMarkets {
  readonly exchange: string;
  readonly unpriced: readonly string[];
}

/** Moves the margins of accounts by the mark prices of their exchanges, and says which accounts have to be read. */
export class MarginEstimator {
  constructor(
    private readonly estimates: Pick<MarginEstimates, 'openMarkets' | 'move' | 'due'>,
    private readonly venues: Pick<Venues, 'get'>,
    private readonly logger: Logger,
  ) {}

  /**
   * Returns those of the accounts whose margin has to be read from the exchange. If the mark prices of an exchange cannot
   * be read, these are all accounts with an open position there; if one of them is missing, those that hold it.
   */
  async due(accountIds: readonly string[]): Promise<readonly string[]> {
    const markets = await this.estimates.openMarkets(accountIds);
    const moved = (await Promise.all(markets.map((each) => this.move(each)))).flat();
    return this.estimates.due(
      accountIds,
      moved.map(({ exchange }) => exchange),
      moved.flatMap(({ exchange, unpriced }) => unpriced.map((symbol) => `${exchange} ${symbol}`)),
    );
  }

  private async move({ exchange, symbols, accountIds }: OpenMarkets): Promise<readonly MovedMarkets[]> {
    try {
      const prices = await this.venues.get(exchange).fetchMarkPrices(symbols);
      await this.estimates.move(accountIds, prices);
      return [{ exchange, unpriced: symbols.filter((symbol) => prices[symbol] === undefined) }];
    } catch (error) {
      this.logger.warn(
        { event: 'mark_prices.not_read', err: error, exchanges: [exchange] },
        'Could not read mark prices; reading the margin of each account.',
      );
      return [];
    }
  }
}
