import { setTimeout as sleep } from 'node:timers/promises';
import type { PairCatalogue } from '@trading-automation/core/trade-pairs';
import { ExchangeError, type ExchangeVenue } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import { errorLogger } from '../error-logger.js';
import type { Venues } from '../exchange/venues.js';

const MARKETS_RETRY_MS = 2_000;

/** Reads the pairs and prices of the configured exchanges, and stores them. */
export class PairRefresher {
  private readonly onError: (error: unknown) => void;

  constructor(
    private readonly venues: Venues,
    private readonly pairs: PairCatalogue,
    private readonly logger: Logger,
  ) {
    this.onError = errorLogger(
      'market_refresh.failed',
      'Could not refresh the pairs of an exchange.',
      logger,
    );
  }

  async refreshPrices(): Promise<void> {
    for (const venue of this.venues.all) {
      const symbols = await this.pairs.activeSymbols(venue.id);
      if (symbols.length === 0) continue;
      const at = new Date();
      const prices = Object.entries(await venue.fetchPrices(symbols));
      await this.pairs.storePrices(
        venue.id,
        prices.map(([symbol, price]) => ({ symbol, price, at })),
      );
    }
  }

  /** Reads and stores the pairs of an exchange. Retries every 2 s, because without its pairs nothing can be traded. */
  async refreshMarkets(venue: ExchangeVenue, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        const markets = await venue.fetchMarkets();
        // An empty list is an error of the exchange. Storing it would deactivate every pair.
        if (markets.length === 0)
          throw new ExchangeError('retryable', 'bad_answer', 'The exchange returned no pairs.');
        const { deactivated } = await this.pairs.storeMarkets(venue.id, markets);
        if (deactivated.length > 0) {
          this.logger.warn(
            { event: 'pairs.deactivated', exchanges: [venue.id] },
            'Pairs of an exchange became inactive.',
          );
        }
        return;
      } catch (error) {
        if (signal.aborted || !(error instanceof ExchangeError)) throw error;
        this.onError(error);
      }
      await sleep(MARKETS_RETRY_MS, undefined, { signal });
    }
  }
}
