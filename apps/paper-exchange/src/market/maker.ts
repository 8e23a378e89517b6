import type { Level } from '../engine/book.js';
import type { Exchange } from '../engine/exchange.js';
import { type MarketSpec, SYMBOLS } from '../engine/symbols.js';
import { type Random, seededRandom } from '../random.js';

/** The interval at which the prices move and the quotes are replaced. */
export const REFILL_EVERY_MS = 400;
const LEVELS = 9;
/** The maximum distance between the highest and the lowest mid price of a minute. */
const MINUTE_RANGE_BPS = 12;
/** The maximum move of the mid price in one step. */
const STEP_BPS = 0.5;

/** The trading of the house, which the spot exchange and the futures exchange both offer. */
export type HouseVenue = Pick<
  Exchange,
  'book' | 'cancelQuotes' | 'placeQuote' | 'take' | 'setLastPrice' | 'commitHouseOrders'
> & { readonly state: { readonly lastTicks: ReadonlyMap<string, number> } };

/** Returns the mid price that a market follows, in its ticks; undefined: it moves by a random walk of its own. */
type Reference = (spec: MarketSpec) => number | undefined;

interface MarketMakerOptions {
  readonly specs?: readonly MarketSpec[];
  readonly reference?: Reference;
}

/**
 * The market maker in one market. In each step it moves a mid price by a seeded random walk, places quotes around it,
 * and takes some lots from the book.
 */
class HouseMarket {
  /** The mid prices of the last minute. */
  private recentMids: { readonly at: number; readonly mid: number }[] = [];

  constructor(
    private readonly exchange: HouseVenue,
    private readonly spec: MarketSpec,
    private readonly random: Random,
    private mid: number,
  ) {}

  /**
   * Moves the price to `ticks`. Fills the resting orders of users that the new price crosses, then places new quotes,
   * which triggered stop orders can match.
   */
  moveTo(ticks: number, at: number): void {
    this.mid = ticks;
    this.recentMids = [];
    this.exchange.cancelQuotes(this.spec);
    const { bids, asks } = this.exchange.book(this.spec).levels();
    const crossedLots = (levels: typeof bids, isCrossed: (price: number) => boolean): number =>
      levels.reduce((sum, [price, lots]) => sum + (isCrossed(price) ? lots : 0), 0);
    const lotsToSell = crossedLots(bids, (price) => price >= ticks);
    if (lotsToSell > 0) this.exchange.take(this.spec, 'SELL', lotsToSell, ticks);
    const lotsToBuy = crossedLots(asks, (price) => price <= ticks);
    if (lotsToBuy > 0) this.exchange.take(this.spec, 'BUY', lotsToBuy, ticks);
    this.exchange.setLastPrice(this.spec, ticks);
    this.refill();
    this.recentMids.push({ at, mid: ticks });
  }

  /** Replaces the quotes by the given levels. With a running walk, the next step replaces them again. */
  quote(bids: readonly Level[], asks: readonly Level[]): void {
    this.exchange.cancelQuotes(this.spec);
    for (const [ticks, lots] of bids) this.exchange.placeQuote(this.spec, 'BUY', ticks, lots);
    for (const [ticks, lots] of asks) this.exchange.placeQuote(this.spec, 'SELL', ticks, lots);
    this.exchange.commitHouseOrders(this.spec);
  }

  /** Places the first quotes. A market without a last price starts at the start price of its random walk. */
  open(): void {
    if (!this.exchange.state.lastTicks.has(this.spec.id)) this.exchange.setLastPrice(this.spec, this.mid);
    this.refill();
  }

  step(at: number, reference?: number): void {
    this.recentMids = this.recentMids.filter((past) => at - past.at <= 60_000);
    this.mid = reference ?? this.walk();
    this.recentMids.push({ at, mid: this.mid });
    this.refill();
    const lots = Math.ceil((this.spec.houseLots / LEVELS) * this.random() * 0.5);
    const side = this.random() < 0.5 ? 'BUY' : 'SELL';
    const limit = Math.round(this.mid * (side === 'BUY' ? 1.0005 : 0.9995));
    this.exchange.take(this.spec, side, lots, limit);
    this.exchange.commitHouseOrders(this.spec);
  }

  /** Returns the next mid price of the random walk. */
  private walk(): number {
    const mids = this.recentMids.map((past) => past.mid).concat(this.mid);
    const range = 1 + MINUTE_RANGE_BPS / 10_000;
    const moved = this.mid * (1 + ((this.random() * 2 - 1) * STEP_BPS) / 10_000);
    return Math.round(Math.min(Math.max(moved, Math.max(...mids) / range), Math.min(...mids) * range));
  }

  /** Replaces the quotes: one on each side at 1, 2, … 9 bps from the mid price, but at least that many ticks. */
  refill(): void {
    this.exchange.cancelQuotes(this.spec);
    const lots = Math.ceil(this.spec.houseLots / LEVELS);
    for (let level = 1; level <= LEVELS; level += 1) {
      const distance = Math.max(level, Math.round((this.mid * level) / 10_000));
      this.exchange.placeQuote(this.spec, 'BUY', this.mid - distance, lots);
      this.exchange.placeQuote(this.spec, 'SELL', this.mid + distance, lots);
    }
    this.exchange.commitHouseOrders(this.spec);
  }
}

/** The market maker in all markets (the house). Equal seeds give equal price movements. */
export class MarketMaker {
  private readonly specs: readonly MarketSpec[];
  private readonly reference: Reference | undefined;
  private readonly markets: ReadonlyMap<string, HouseMarket>;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    exchange: HouseVenue,
    seed: number,
    private readonly now: () => number,
    { specs = SYMBOLS, reference }: MarketMakerOptions = {},
  ) {
    this.specs = specs;
    this.reference = reference;
    this.markets = new Map(
      specs.map((spec, index) => {
        const start = exchange.state.lastTicks.get(spec.id) ?? spec.startTicks;
        return [spec.id, new HouseMarket(exchange, spec, seededRandom(seed + index), start)];
      }),
    );
  }

  start(): void {
    for (const market of this.markets.values()) market.open();
    this.timer = setInterval(() => this.step(), REFILL_EVERY_MS);
  }

  /**
   * Moves every market once: sets a new mid price, replaces the quotes and takes some lots. After `start`, a timer
   * calls this method.
   */
  step(): void {
    for (const spec of this.specs) this.markets.get(spec.id)?.step(this.now(), this.reference?.(spec));
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  moveTo(spec: MarketSpec, ticks: number): void {
    this.markets.get(spec.id)?.moveTo(ticks, this.now());
  }

  /** Replaces the house's quotes in one market by the given levels, best first. */
  quote(spec: MarketSpec, bids: readonly Level[], asks: readonly Level[]): void {
    this.markets.get(spec.id)?.quote(bids, asks);
  }
}
