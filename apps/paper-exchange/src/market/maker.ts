import type { Exchange } from '../engine/exchange.js';
import { type MarketSpec, SYMBOLS } from '../engine/symbols.js';
import { type Random, seededRandom } from '../random.js';

export const REFILL_EVERY_MS = 400;
const LEVELS = 9;
/** In bps: how far the mid price may move from its extremes of the last minute. */
const MINUTE_RANGE_BPS = 12;
const STEP_BPS = 0.5;

/**
 * The market maker in one market. It moves a mid price by a seeded random walk, quotes around it, and sometimes
 * takes.
 */
class HouseMarket {
  private window: { readonly at: number; readonly mid: number }[] = [];

  constructor(
    private readonly exchange: Exchange,
    private readonly spec: MarketSpec,
    private readonly random: Random,
    private mid: number,
  ) {}

  /**
   * Moves the price. Orders of users that the price crosses are filled, and triggered stops can match the new quotes.
   */
  moveTo(ticks: number, at: number): void {
    this.mid = ticks;
    this.window = [];
    this.exchange.cancelQuotes(this.spec);
    const { bids, asks } = this.exchange.book(this.spec).levels();
    const crossed = (levels: typeof bids, isCrossed: (price: number) => boolean): number =>
      levels.reduce((lots, [price, size]) => lots + (isCrossed(price) ? size : 0), 0);
    const toSell = crossed(bids, (price) => price >= ticks);
    if (toSell > 0) this.exchange.take(this.spec, 'SELL', toSell, ticks);
    const toBuy = crossed(asks, (price) => price <= ticks);
    if (toBuy > 0) this.exchange.take(this.spec, 'BUY', toBuy, ticks);
    this.exchange.setLastPrice(this.spec, ticks);
    this.refill();
    this.window.push({ at, mid: ticks });
  }

  /** A market without trades starts at the start price of its walk. */
  open(): void {
    if (!this.exchange.state.lastTicks.has(this.spec.id)) this.exchange.setLastPrice(this.spec, this.mid);
    this.refill();
  }

  step(at: number): void {
    this.window = this.window.filter((past) => at - past.at <= 60_000);
    const mids = this.window.map((past) => past.mid).concat(this.mid);
    const range = 1 + MINUTE_RANGE_BPS / 10_000;
    const moved = this.mid * (1 + ((this.random() * 2 - 1) * STEP_BPS) / 10_000);
    this.mid = Math.round(Math.min(Math.max(moved, Math.max(...mids) / range), Math.min(...mids) * range));
    this.window.push({ at, mid: this.mid });
    this.refill();
    const lots = Math.ceil((this.spec.houseLots / LEVELS) * this.random() * 0.5);
    const side = this.random() < 0.5 ? 'BUY' : 'SELL';
    const limit = Math.round(this.mid * (side === 'BUY' ? 1.0005 : 0.9995));
    this.exchange.take(this.spec, side, lots, limit);
    this.exchange.commitHouseOrders(this.spec);
  }

  /** Quotes levels at 1 to 9 bps from the mid price. */
  refill(): void {
    this.exchange.cancelQuotes(this.spec);
    const lots = Math.ceil(this.spec.houseLots / LEVELS);
    for (let level = 1; level <= LEVELS; level += 1) {
      const away = Math.max(level, Math.round((this.mid * level) / 10_000));
      this.exchange.placeQuote(this.spec, 'BUY', this.mid - away, lots);
      this.exchange.placeQuote(this.spec, 'SELL', this.mid + away, lots);
    }
    this.exchange.commitHouseOrders(this.spec);
  }
}

/** The market maker in all markets (the house). Equal seeds give equal walks. */
export class MarketMaker {
  private readonly markets: ReadonlyMap<string, HouseMarket>;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    exchange: Exchange,
    seed: number,
    private readonly now: () => number,
    specs: readonly MarketSpec[] = SYMBOLS,
  ) {
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
   * Moves every market once: sets a new mid price, quotes around it and may take. Runs automatically after the start.
   */
  step(): void {
    for (const market of this.markets.values()) market.step(this.now());
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  moveTo(spec: MarketSpec, ticks: number): void {
    this.markets.get(spec.id)?.moveTo(ticks, this.now());
  }
}
