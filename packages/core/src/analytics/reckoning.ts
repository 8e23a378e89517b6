/** Puts fills through the books of their accounts and pairs, and what comes of it into the tallies of a selection. */
import type { AnalyticsInterval } from '@trading-automation/contracts';
import { type FillOutcome, LotBook, QUOTE_SCALE } from '../trades/index.js';
import type { FillRow, Selection, TradeCount } from './analytics.queries.js';
import { GroupTally, PerformanceTally } from './analytics.rules.js';

/** A pair as its books and readers know it. */
export type Pair = Pick<TradeCount, 'pairId' | 'symbol' | 'base' | 'quote' | 'tradingType'>;

/** What a pair's trades came to. */
export interface PairGroup {
  readonly pair: Pair;
  readonly tally: GroupTally;
}

/** What a strategy's trades came to in one currency. */
export interface StrategyGroup {
  readonly strategyId: string;
  readonly currency: string;
  readonly tally: GroupTally;
}

export class Reckoning {
  /** Amounts of different currencies are never added: each has a tally of its own. */
  readonly byQuote = new Map<string, PerformanceTally>();
  readonly byPair = new Map<string, PairGroup>();
  /** By strategy and currency. */
  readonly byStrategy = new Map<string, StrategyGroup>();
  /** By currency, in 10^-18 of it. */
  readonly feesPaid = new Map<string, bigint>();
  unmatchedFillCount = 0;

  private readonly books = new Map<string, LotBook>();
  /** Of trades that hold lots, where they have one. */
  private readonly strategies = new Map<string, string>();

  /** @param counts of every pair that has trades */
  constructor(
    private readonly selection: Selection,
    private readonly interval: AnalyticsInterval,
    readonly counts: readonly TradeCount[],
  ) {
    for (const count of counts) {
      this.groupOf(count).tally.addTrades(count.count);
      if (count.strategyId !== null && count.count > 0)
        this.strategyGroupOf(count.strategyId, count.quote).tally.addTrades(count.count);
    }
  }

  /** Takes the next fill; all of them, in the order of their execution, those before the range too. */
  add(fill: FillRow): void {
    const pair = this.byPair.get(fill.pairId)?.pair;
    if (pair === undefined) throw new Error('a fill belongs to a pair that no trade has');
    const outcome = this.bookOf(fill, pair).apply(fill);
    if (outcome === null) return;
    if (fill.strategyId !== null) this.strategies.set(fill.tradeId, fill.strategyId);
    const { from } = this.selection;
    if (from === undefined || fill.executedAt >= from) this.tally(fill, pair, outcome);
    for (const { tradeId } of outcome.closedTrades) this.strategies.delete(tradeId);
  }

  private tally(fill: FillRow, pair: Pair, outcome: FillOutcome): void {
    const { executedAt: at, strategyId } = fill;
    if (this.isSelected(strategyId)) {
      const { feesPaid } = this;
      if (outcome.feePaid !== 0n)
        feesPaid.set(fill.feeCurrency, (feesPaid.get(fill.feeCurrency) ?? 0n) + outcome.feePaid);
      if (outcome.unmatched > 0n) this.unmatchedFillCount += 1;
      for (const tally of this.talliesOf(pair, strategyId)) tally.addFill(at, outcome.volume, outcome.fee);
    }
    for (const [strategy, pnl] of this.realisedByStrategy(outcome)) {
      for (const tally of this.talliesOf(pair, strategy)) tally.addRealised(at, pnl);
    }
    for (const closed of outcome.closedTrades) {
      const strategy = this.strategies.get(closed.tradeId) ?? null;
      if (!this.isSelected(strategy)) continue;
      for (const tally of this.talliesOf(pair, strategy)) tally.addClosed(closed);
    }
  }

  private isSelected(strategyId: string | null): boolean {
    return this.selection.strategyId === undefined || this.selection.strategyId === strategyId;
  }

  /** What the fill realised, by the strategy that had opened it. */
  private realisedByStrategy({ parts }: FillOutcome): ReadonlyMap<string | null, bigint> {
    const sums = new Map<string | null, bigint>();
    for (const { tradeId, pnl } of parts) {
      const strategy = this.strategies.get(tradeId) ?? null;
      if (this.isSelected(strategy)) sums.set(strategy, (sums.get(strategy) ?? 0n) + pnl);
    }
    return sums;
  }

  private bookOf({ accountId, pairId }: FillRow, pair: Pair): LotBook {
    return known(this.books, `${accountId}/${pairId}`, () => {
      const { base, quote, tradingType } = pair;
      return new LotBook({ base, quote, canBeShort: tradingType !== 'spot' });
    });
  }

  private talliesOf(pair: Pair, strategyId: string | null): readonly GroupTally[] {
    const { quote } = pair;
    const tallies = [
      known(this.byQuote, quote, () => new PerformanceTally(QUOTE_SCALE, this.interval)),
      this.groupOf(pair).tally,
    ];
    return strategyId === null ? tallies : [...tallies, this.strategyGroupOf(strategyId, quote).tally];
  }

  private groupOf(pair: Pair): PairGroup {
    return known(this.byPair, pair.pairId, () => ({ pair, tally: new GroupTally(QUOTE_SCALE) }));
  }

  private strategyGroupOf(strategyId: string, currency: string): StrategyGroup {
    const make = () => ({ strategyId, currency, tally: new GroupTally(QUOTE_SCALE) });
    return known(this.byStrategy, `${strategyId}/${currency}`, make);
  }
}

/** What the map has under the key, made and kept where it has nothing yet. */
function known<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
