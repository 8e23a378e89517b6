import type { PublicTrade } from '../engine/order.js';
import { type MarketSpec, SYMBOLS } from '../engine/symbols.js';
import { aggregateCandles, type Candle, candleOf, flatCandle, mergeCandles } from './candles.js';
import { type Interval, MINUTE, SECOND } from './intervals.js';

const DAY_MS = 86_400_000;
/** The number of one-second candles with trades that are kept for each market. */
const SECONDS_KEPT = 1_000;
/** The number of trades, and the number of aggregate trades, that are kept for each market. */
export const TRADES_KEPT = 1_000;

/** Consecutive trades of one taker order at one price, combined. The id is that of the first trade. */
export interface AggregateTrade {
  readonly id: number;
  readonly first: PublicTrade;
  readonly lastId: number;
  readonly lots: number;
}

/** The last 24 hours of one market, in whole minutes. */
export interface DayStats {
  readonly openAt: number;
  readonly previousClose: number;
  /** All trades of the day in one candle; undefined if there were none. */
  readonly total: Candle | undefined;
  readonly lastLots: number;
}

/** The recent history of one market: the last trades, and a candle for each minute of the last 24 hours. */
export class MarketHistory {
  private readonly recent: PublicTrade[] = [];
  private readonly aggregates: AggregateTrade[] = [];
  private readonly minutes: Candle[] = [];
  private readonly seconds: Candle[] = [];
  /** The close of the last minute that was deleted. */
  private deletedClose: number | undefined;

  /** Adds the trades of one commit, in order, and returns them as aggregates. */
  add(trades: readonly PublicTrade[]): AggregateTrade[] {
    const added: AggregateTrade[] = [];
    for (const trade of trades) {
      keep(this.recent, trade);
      this.addToMinute(trade);
      this.addToSecond(trade);
      const last = added.at(-1);
      if (last !== undefined && isSameAggregate(last.first, trade)) {
        added[added.length - 1] = { ...last, lastId: trade.id, lots: last.lots + trade.lots };
      } else added.push({ id: trade.id, first: trade, lastId: trade.id, lots: trade.lots });
    }
    for (const aggregate of added) keep(this.aggregates, aggregate);
    return added;
  }

  /** Returns the last trades, oldest first. */
  trades(): readonly PublicTrade[] {
    return this.recent;
  }

  /** Returns the last aggregates, oldest first. */
  aggregateTrades(): readonly AggregateTrade[] {
    return this.aggregates;
  }

  /**
   * Returns the candles of the last 24 hours, oldest first, up to the current one. Those of one second go back to
   * 1,000 seconds ago. The first candle may lack trades that are no longer stored.
   */
  candles(interval: Interval, now: number): Candle[] {
    const stored = interval.name === SECOND.name ? this.seconds : this.minutes;
    const keptMs = interval.name === SECOND.name ? SECONDS_KEPT * 1_000 : DAY_MS;
    const recent = stored.filter((candle) => candle.openAt > now - keptMs);
    const close = this.minutes.at(-1)?.close;
    if (recent.length === 0 && close !== undefined) return [flatCandle(interval.openOf(now), close)];
    return aggregateCandles(recent, interval, now);
  }

  /** Returns all trades since `startAt`, in whole minutes, as one candle; undefined if there were none. */
  total(startAt: number): Candle | undefined {
    const [first, ...rest] = this.minutes.filter((minute) => minute.openAt >= startAt);
    return first === undefined ? undefined : rest.reduce(mergeCandles, first);
  }

  dayStats(now: number): DayStats {
    const openAt = now - DAY_MS;
    const minutesOfDay = this.minutes.filter((minute) => minute.openAt > openAt);
    const minuteBefore = this.minutes.findLast((minute) => minute.openAt <= openAt);
    const [first, ...rest] = minutesOfDay;
    return {
      openAt,
      previousClose: minuteBefore?.close ?? this.deletedClose ?? first?.open ?? 0,
      total: first === undefined ? undefined : rest.reduce(mergeCandles, first),
      lastLots: this.recent.at(-1)?.lots ?? 0,
    };
  }

  private addToSecond(trade: PublicTrade): void {
    const openAt = SECOND.openOf(trade.at);
    const last = this.seconds.at(-1);
    if (last === undefined || last.openAt < openAt) {
      this.seconds.push(candleOf(openAt, trade));
      if (this.seconds.length > SECONDS_KEPT) this.seconds.shift();
    } else this.seconds[this.seconds.length - 1] = mergeCandles(last, candleOf(last.openAt, trade));
  }

  private addToMinute(trade: PublicTrade): void {
    const openAt = MINUTE.openOf(trade.at);
    const last = this.minutes.at(-1);
    if (last === undefined || last.openAt < openAt) this.minutes.push(candleOf(openAt, trade));
    else this.minutes[this.minutes.length - 1] = mergeCandles(last, candleOf(last.openAt, trade));
    while ((this.minutes[0]?.openAt ?? openAt) < openAt - DAY_MS) {
      this.deletedClose = this.minutes.shift()?.close ?? this.deletedClose;
    }
  }
}

type Listener = (
  spec: MarketSpec,
  trades: readonly PublicTrade[],
  aggregates: readonly AggregateTrade[],
) => void;

/** What publishes the trades of each commit: the spot exchange or the futures exchange. */
interface TradeSource {
  onCommit(listener: (commit: { readonly trades: readonly PublicTrade[] }) => void): void;
}

/** The history of every market of an exchange since the start of the process. */
export class MarketHistories {
  private readonly bySymbol: ReadonlyMap<string, MarketHistory>;
  private readonly listeners: Listener[] = [];

  constructor(exchange: TradeSource, specs: readonly MarketSpec[] = SYMBOLS) {
    this.bySymbol = new Map(specs.map((spec) => [spec.id, new MarketHistory()]));
    exchange.onCommit(({ trades }) => {
      if (trades.length === 0) return;
      for (const spec of specs)
        this.add(
          spec,
          trades.filter((trade) => trade.symbol === spec.id),
        );
    });
  }

  /**
   * Registers a listener. It is called for each commit and market with trades, after the trades are stored. It must
   * not throw.
   */
  onTrades(listener: Listener): void {
    this.listeners.push(listener);
  }

  of(spec: MarketSpec): MarketHistory {
    const history = this.bySymbol.get(spec.id);
    if (history === undefined) throw new Error(`Market ${spec.id} does not exist.`);
    return history;
  }

  private add(spec: MarketSpec, trades: readonly PublicTrade[]): void {
    if (trades.length === 0) return;
    const aggregates = this.of(spec).add(trades);
    for (const listener of this.listeners) listener(spec, trades, aggregates);
  }
}

function isSameAggregate(first: PublicTrade, trade: PublicTrade): boolean {
  return (
    first.takerOrderId === trade.takerOrderId &&
    first.priceTicks === trade.priceTicks &&
    first.isBuyerMaker === trade.isBuyerMaker
  );
}

function keep<T>(list: T[], value: T): void {
  list.push(value);
  if (list.length > TRADES_KEPT) list.shift();
}
