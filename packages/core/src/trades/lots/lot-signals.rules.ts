/**
 * What the signals of a book's new fills are. Pure.
 *
 * 1. A fill that opens a lot of a strategy enters it; a fill that takes of one leaves it, whoever made that: one
 *    signal for each lot, and exits before the entry. Copies make none, and their lots are nobody's signal.
 * 2. What signals told of a lot never goes below zero, and comes to nothing when the lot does: a copier that follows
 *    them all holds nothing of a lot that is closed.
 * 3. A fill that comes late changes what later fills took. What was told stands, and the fill's signals tell the
 *    difference, as exits of whatever is closed by now. What that gives back to a lot is not entered a second time; a
 *    lot that nobody was told of, since it was over when it became known, is entered when it is given back.
 */
import type { Decimal, TradeSide } from '@trading-automation/contracts';
import type { BookedStep, FillToBook, StoredLot } from './booking.rules.js';
import { plainOf, unitsOf } from './lots.rules.js';
import type { NewSignal, ToldLot } from './signals.types.js';

/** A trade of a strategy, no copy: what it opened is the leader's lot. */
export interface LeaderTrade {
  readonly id: string;
  readonly strategyId: string;
  readonly side: TradeSide;
  readonly amount: Decimal;
  readonly filledAmount: Decimal;
  readonly leaderEquity: Decimal | null;
}

export interface ToTell {
  /** All that was booked, in order. */
  readonly steps: readonly BookedStep[];
  /** The fills among them that were never booked before and are to be told of. */
  readonly newFillIds: ReadonlySet<string>;
  /** The open lots before the first of them. */
  readonly held: readonly StoredLot[];
  /** Every leader's trade of which something was opened or closed, by its id. */
  readonly trades: ReadonlyMap<string, LeaderTrade>;
  /** What was told of them before. */
  readonly told: ReadonlyMap<string, ToldLot>;
  /**
   * The trades that had open lots before a late fill took the book back. Null where it was not taken back, or has fills
   * that are no news: then nothing but new fills is told of.
   */
  readonly heldBefore: ReadonlySet<string> | null;
}

export function signalsOf(toTell: ToTell): readonly NewSignal[] {
  if (toTell.trades.size === 0) return [];
  const firstNew = toTell.steps.findIndex(({ fill }) => toTell.newFillIds.has(fill.id));
  if (firstNew < 0) return [];
  const isInOrder = toTell.steps.slice(firstNew).every(({ fill }) => toTell.newFillIds.has(fill.id));
  const teller = new Teller(toTell);
  return isInOrder ? teller.tellSteps() : teller.tellDifferences();
}

/** What is told of a lot so far. */
interface Lot {
  readonly firstSequence: number | null;
  readonly openedAt: Date;
  isTold: boolean;
  cumulative: bigint;
  open: bigint;
}

class Teller {
  private readonly signals: NewSignal[] = [];
  private readonly lots = new Map<string, Lot>();
  /** What lots hold in truth, and since when, by the trade that opened them. */
  private readonly open = new Map<string, bigint>();
  private readonly openedAt = new Map<string, Date>();

  constructor(private readonly toTell: ToTell) {
    for (const { tradeId, openAmount, openedAt } of toTell.held) this.grow(tradeId, openAmount, openedAt);
  }

  /** New fills come last: each is told of as it is booked. */
  tellSteps(): readonly NewSignal[] {
    for (const step of this.toTell.steps) {
      const isTold = this.toTell.newFillIds.has(step.fill.id) && step.fill.copierId === null;
      // What a lot was before its first signal has to be known before the step is followed.
      if (isTold) for (const trade of this.tradesOf(step)) this.lotOf(trade, step.fill);
      this.follow(step);
      if (isTold) this.tellStep(step);
    }
    return this.signals;
  }

  /** A new fill came late: what is open now is told, as far as it differs from what was. */
  tellDifferences(): readonly NewSignal[] {
    const { steps, trades, newFillIds } = this.toTell;
    const fresh = steps.filter(({ fill }) => newFillIds.has(fill.id) && fill.copierId === null);
    if (fresh.length === 0) return [];
    for (const step of steps) this.follow(step);
    for (const trade of trades.values()) {
      const isNews = this.isNews(trade);
      const entries = steps.filter(
        ({ fill, opened }) =>
          fill.tradeId === trade.id && opened !== null && (isNews || newFillIds.has(fill.id)),
      );
      const exit = fresh.findLast(({ fill }) => fill.side !== trade.side) ?? fresh.at(-1)!;
      this.tellDifference(trade, entries, exit.fill);
    }
    return this.signals;
  }

  private tellStep({ fill, opened, parts }: BookedStep): void {
    for (const tradeId of new Set(parts.map((part) => part.tradeId))) {
      const trade = this.toTell.trades.get(tradeId);
      if (trade === undefined) continue;
      const taken = parts.reduce((sum, part) => (part.tradeId === tradeId ? sum + part.amount : sum), 0n);
      this.tellExit(trade, fill, taken);
    }
    const trade = this.toTell.trades.get(fill.tradeId);
    if (opened !== null && trade !== undefined) this.tellEntry(trade, fill, opened.filled, opened.amount);
  }

  private tellDifference(trade: LeaderTrade, entries: readonly BookedStep[], exit: FillToBook): void {
    const open = this.open.get(trade.id) ?? 0n;
    const isKnown = this.toTell.told.has(trade.id);
    // Nobody was told of it, so that nobody can have copied it.
    if (!isKnown && (entries.length === 0 || open === 0n)) return;
    const last = entries.at(-1)?.fill;
    if (last !== undefined && this.isNews(trade)) this.beginLot(trade, last);
    const lot = this.lotOf(trade, last ?? exit, 0n);
    if (open < lot.open) this.tellExit(trade, exit, lot.open - open);
    else if (open > lot.open && last !== undefined) {
      const filled = entries.reduce((sum, { opened }) => sum + (opened?.filled ?? 0n), 0n);
      this.tellEntry(trade, last, filled, open - lot.open);
    }
  }

  private tellEntry(trade: LeaderTrade, fill: FillToBook, filled: bigint, grown: bigint): void {
    const lot = this.lotOf(trade, fill);
    const before = lot.open;
    const kind = lot.isTold || lot.firstSequence !== null ? 'INCREASE' : 'OPEN';
    lot.cumulative += filled;
    lot.open += grown;
    this.tell(trade, fill, { kind, side: trade.side, filled, before, exit: 0n });
  }

  private tellExit(trade: LeaderTrade, fill: FillToBook, taken: bigint): void {
    const lot = this.lotOf(trade, fill);
    const before = lot.open;
    const isClosed = (this.open.get(trade.id) ?? 0n) === 0n || taken >= before;
    const exit = isClosed ? before : taken;
    // Told as closed before.
    if (exit === 0n) return;
    lot.open -= exit;
    const side = trade.side === 'BUY' ? 'SELL' : 'BUY';
    this.tell(trade, fill, { kind: isClosed ? 'CLOSE' : 'REDUCE', side, filled: exit, before, exit });
  }

  private tell(
    trade: LeaderTrade,
    fill: FillToBook,
    what: Pick<NewSignal, 'kind' | 'side'> & Record<'filled' | 'before' | 'exit', bigint>,
  ): void {
    const lot = this.lotOf(trade, fill);
    lot.isTold = true;
    this.signals.push({
      strategyId: trade.strategyId,
      kind: what.kind,
      side: what.side,
      exchangeAccountId: fill.exchangeAccountId,
      tradePairId: fill.tradePairId,
      symbol: fill.symbol,
      tradingType: fill.tradingType,
      lotTradeId: trade.id,
      lotFirstSequence: lot.firstSequence,
      lotOpenedAt: lot.openedAt,
      lotOrderAmount: trade.amount,
      sourceTradeId: fill.tradeId,
      sourceFillId: fill.id,
      filledAmount: plainOf(what.filled),
      cumulativeAmount: plainOf(lot.cumulative),
      lotAmountBefore: plainOf(what.before),
      lotAmountAfter: plainOf(lot.open),
      exitAmount: plainOf(what.exit),
      referencePrice: fill.price,
      leaderEquity: trade.leaderEquity,
      signalAt: fill.executedAt,
    });
  }

  /** Of a lot that no signal told of, what was there before the new fills is taken as told: it is older than signals. */
  private lotOf(trade: LeaderTrade, fill: FillToBook, untold = this.open.get(trade.id) ?? 0n): Lot {
    const known = this.lots.get(trade.id);
    if (known !== undefined) return known;
    const told = this.toTell.told.get(trade.id);
    const filledBefore = unitsOf(trade.filledAmount) - this.newlyFilled(trade.id);
    const isOlder = filledBefore > 0n || untold > 0n;
    const lot: Lot =
      told === undefined
        ? {
            firstSequence: isOlder ? 0 : null,
            openedAt: this.openedAt.get(trade.id) ?? fill.executedAt,
            isTold: false,
            cumulative: filledBefore > 0n ? filledBefore : 0n,
            open: untold,
          }
        : {
            firstSequence: told.firstSequence,
            openedAt: told.openedAt,
            isTold: true,
            cumulative: unitsOf(told.cumulativeAmount),
            open: unitsOf(told.openAmount),
          };
    this.lots.set(trade.id, lot);
    return lot;
  }

  /** Whether nobody was told of the trade, and not because it is older than signals: it was over before it was known. */
  private isNews({ id }: LeaderTrade): boolean {
    const { told, heldBefore } = this.toTell;
    return !told.has(id) && heldBefore !== null && !heldBefore.has(id);
  }

  private beginLot(trade: LeaderTrade, last: FillToBook): void {
    const { steps, newFillIds } = this.toTell;
    const entered = steps
      .filter(({ fill, opened }) => fill.tradeId === trade.id && (opened !== null || newFillIds.has(fill.id)))
      .reduce((sum, { fill }) => sum + unitsOf(fill.amount), 0n);
    this.lots.set(trade.id, {
      firstSequence: null,
      openedAt: this.openedAt.get(trade.id) ?? last.executedAt,
      isTold: false,
      cumulative: unitsOf(trade.filledAmount) - entered,
      open: 0n,
    });
  }

  private newlyFilled(tradeId: string): bigint {
    return this.toTell.steps
      .filter(({ fill }) => fill.tradeId === tradeId && this.toTell.newFillIds.has(fill.id))
      .reduce((sum, { fill }) => sum + unitsOf(fill.amount), 0n);
  }

  private tradesOf({ fill, opened, parts }: BookedStep): readonly LeaderTrade[] {
    const ids = new Set(parts.map(({ tradeId }) => tradeId));
    if (opened !== null) ids.add(fill.tradeId);
    return [...ids].flatMap((id) => this.toTell.trades.get(id) ?? []);
  }

  private follow({ fill, opened, parts }: BookedStep): void {
    for (const { tradeId, amount } of parts) this.grow(tradeId, -amount, fill.executedAt);
    if (opened !== null) this.grow(fill.tradeId, opened.amount, fill.executedAt);
  }

  private grow(tradeId: string, amount: bigint, at: Date): void {
    this.open.set(tradeId, (this.open.get(tradeId) ?? 0n) + amount);
    if (!this.openedAt.has(tradeId)) this.openedAt.set(tradeId, at);
  }
}
