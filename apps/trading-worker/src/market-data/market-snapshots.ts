import { DomainError } from '@trading-automation/contracts';
import type { WorkerCallHandlers } from '@trading-automation/core/exchange-accounts';
import { ExchangeError, type ExchangeVenue } from '@trading-automation/exchanges';
import type { BookMids } from '../copying/book-mids.js';
import { toDomainError } from '../exchange/to-domain-error.js';

type SnapshotCalls = Pick<
  WorkerCallHandlers,
  'trade_pair.ticker' | 'trade_pair.candles' | 'trade_pair.order_book' | 'trade_pair.book_mids'
>;

/**
 * Fetches market data for the APIs. Requests that are equal and arrive while the exchange is asked share its response.
 */
export class MarketSnapshots {
  private readonly pending = new Map<string, Promise<unknown>>();

  constructor(
    private readonly venueOf: (
      exchange: string,
    ) => Pick<ExchangeVenue, 'fetchTicker' | 'fetchCandles' | 'fetchBook'>,
    private readonly bookMids: BookMids,
  ) {}

  readonly calls: SnapshotCalls = {
    'trade_pair.ticker': (input, _signal, userId) =>
      this.share(['ticker', input], () => this.venueOf(input.exchange).fetchTicker(input.symbol, userId)),
    'trade_pair.candles': ({ exchange, symbol, ...range }, _signal, userId) =>
      this.share(['candles', exchange, symbol, range], async () => {
        const { interval, from, to } = range;
        const venue = this.venueOf(exchange);
        const candles = await venue.fetchCandles(
          symbol,
          { interval, from: new Date(from), to: new Date(to) },
          userId,
        );
        return {
          candles: candles.map(({ openedAt, open, high, low, close, volume }) => {
            return [openedAt.getTime(), open, high, low, close, volume] as const;
          }),
        };
      }),
    'trade_pair.order_book': (input, _signal, userId) =>
      this.share(['book', input], () =>
        this.venueOf(input.exchange).fetchBook(input.symbol, input.depth, userId),
      ),
    'trade_pair.book_mids': async ({ exchange, symbols }) => {
      const mids = symbols.map(
        async (symbol) => [symbol, await this.bookMids.read(exchange, symbol)] as const,
      );
      return Object.fromEntries(await Promise.all(mids));
    },
  };

  /** Joins the pending request with this key, or starts it. Dates the response. */
  private share<T extends object>(
    keyParts: readonly unknown[],
    ask: () => Promise<T>,
  ): Promise<T & { as_of: string }> {
    const key = JSON.stringify(keyParts);
    const pending = this.pending.get(key);
    if (pending !== undefined) return pending as Promise<T & { as_of: string }>;
    const request = ask()
      .then((data) => ({ ...data, as_of: new Date().toISOString() }))
      .catch((error) => {
        throw isUnlisted(error) ? new DomainError('exchange_unavailable', UNLISTED) : toDomainError(error);
      })
      .finally(() => this.pending.delete(key));
    this.pending.set(key, request);
    return request;
  }
}

const UNLISTED = 'The exchange does not list this pair at present.';

const isUnlisted = (error: unknown) => error instanceof ExchangeError && error.code === 'not_supported';
