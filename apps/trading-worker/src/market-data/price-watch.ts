import type { MarketBoard, Price } from '@trading-automation/core/market-data';
import type { ExchangeVenue } from '@trading-automation/exchanges';
import { StandingStream } from './standing-stream.js';

const TELL_EVERY_MS = 250;
const STORE_EVERY_MS = 1_000;

/** What market data needs of the catalogue of pairs. */
export interface PairSource {
  activeSymbols(exchange: string): Promise<readonly string[]>;
  storePrices(exchange: string, prices: Readonly<Record<string, string>>): Promise<void>;
}

export interface PriceWatchParts {
  readonly venue: ExchangeVenue;
  readonly symbols: readonly string[];
  readonly board: MarketBoard;
  readonly pairs: PairSource;
  readonly onError: (error: unknown) => void;
}

/** The last prices of a venue's pairs: several times a second on the board, every second with the pairs. */
export class PriceWatch {
  private readonly stream: StandingStream;
  private readonly timers: readonly NodeJS.Timeout[];
  private untold = new Map<string, Price>();
  private unstored = new Map<string, Price>();

  constructor(private readonly parts: PriceWatchParts) {
    const { venue, symbols, onError } = parts;
    this.stream = new StandingStream({
      open: (onLost) =>
        venue.watchPrices(symbols, {
          onConnected: () => this.stream.works(),
          onPrice: (symbol, price, exchangeTimestamp) =>
            this.take({
              exchange: venue.id,
              symbol,
              price,
              exchangeTimestamp: exchangeTimestamp.toISOString(),
              receivedAt: new Date().toISOString(),
            }),
          onLost,
        }),
      onLost: onError,
    });
    this.timers = [
      setInterval(() => this.tell().catch(onError), TELL_EVERY_MS),
      setInterval(() => this.store().catch(onError), STORE_EVERY_MS),
    ];
  }

  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await this.stream.close();
  }

  private take(price: Price): void {
    this.untold.set(price.symbol, price);
    this.unstored.set(price.symbol, price);
  }

  private async tell(): Promise<void> {
    if (this.untold.size === 0) return;
    const prices = [...this.untold.values()];
    this.untold = new Map();
    await this.parts.board.publishPrices(this.parts.venue.id, prices);
  }

  private async store(): Promise<void> {
    if (this.unstored.size === 0) return;
    const prices = [...this.unstored.values()].map(({ symbol, price }) => [symbol, price]);
    this.unstored = new Map();
    await this.parts.pairs.storePrices(this.parts.venue.id, Object.fromEntries(prices));
  }
}
