import type { MarginEstimates, OpenMarkets } from '@trading-automation/core/positions';
import type { Logger } from '@trading-automation/runtime';
import type { Venues } from './venues.js';

/** Moves the margins of accounts by the mark prices of their exchanges, and says which accounts have to be read. */
export class MarginEstimator {
  constructor(
    private readonly estimates: Pick<MarginEstimates, 'openMarkets' | 'move' | 'due'>,
    private readonly venues: Pick<Venues, 'get'>,
    private readonly logger: Logger,
  ) {}

  /**
   * Returns those of the accounts whose margin has to be read from the exchange. If the mark prices of an exchange cannot
   * be read, these are all accounts with an open position there.
   */
  async due(accountIds: readonly string[]): Promise<readonly string[]> {
    const markets = await this.estimates.openMarkets(accountIds);
    const moved = await Promise.all(
      markets.map(async (each) => ((await this.move(each)) ? [each.exchange] : [])),
    );
    return this.estimates.due(accountIds, moved.flat());
  }

  private async move({ exchange, symbols, accountIds }: OpenMarkets): Promise<boolean> {
    try {
      const prices = await this.venues.get(exchange).fetchMarkPrices(symbols);
      await this.estimates.move(accountIds, prices);
      return symbols.every((symbol) => prices[symbol] !== undefined);
    } catch (error) {
      this.logger.warn(
        { event: 'mark_prices.not_read', err: error, exchanges: [exchange] },
        'Could not read mark prices; reading the margin of each account.',
      );
      return false;
    }
  }
}
