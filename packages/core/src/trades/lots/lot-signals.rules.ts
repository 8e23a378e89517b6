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
import type { BookedFill, FillToBook, StoredLot } from './booking.rules.js';
import { formatUnits, parseUnits } from './lots.rules.js';
import type { EmittedLotState, NewSignal } from './signals.types.js';

/** A trade of a strategy, no copy: what it opened is the leader's lot. */
export interface LeaderTrade {
  readonly id: string;
  readonly strategyId: string;
  readonly side: TradeSide;
  readonly amount: Decimal;
  readonly filledAmount: Decimal;
  readonly leaderEquity: Decimal | null;
}

export interface EmissionInput {
  /** All that was booked, in order. */
  readonly bookedFills: readonly BookedFill[];
  /** The fills among them that were never booked before and are to be told of. */
  readonly newFillIds: ReadonlySet<string>;
  /** The open lots before the first of them. */
  readonly openBefore: readonly StoredLot[];
  /** Every leader's trade of which something was opened or closed, by its id. */
  readonly trades: ReadonlyMap<string, LeaderTrade>;
  /** What was told of them before. */
  readonly emittedLots: ReadonlyMap<string, EmittedLotState>;
  /**
   * The trades that had open lots before a late fill took the book back. Null where it was not taken back, or has fills
   * that are no news: then nothing but new fills is told of.
   */
  readonly openBeforeRewind: ReadonlySet<string> | null;
}

export function emitSignals(toTell: EmissionInput): readonly NewSignal[] {
  if (toTell.trades.size === 0) return [];
  const firstNew = toTell.bookedFills.findIndex(({ fill }) => toTell.newFillIds.has(fill.id));
  if (firstNew < 0) return [];
  const isInOrder = toTell.bookedFills.slice(firstNew).every(({ fill }) => toTell.newFillIds.has(fill.id));
  const teller = new SignalEmitter(toTell);
  return isInOrder ? teller.emitInOrder() : teller.emitCorrections();
}

/** What is told of a lot so far. */
interface EmittedLot {
  readonly firstSequence: number | null;
  readonly openedAt: Date;
  isEmitted: boolean;
  cumulative: bigint;
  open: bigint;
}

class SignalEmitter {
  private readonly signals: NewSignal[] = [];
  private readonly lots = new Map<string, EmittedLot>();
  /** What lots hold in truth, and since when, by the trade that opened them. */
  private readonly open = new Map<string, bigint>();
  private readonly openedAt = new Map<string, Date>();

  constructor(private readonly input: EmissionInput) {
    for (const { tradeId, openAmount, openedAt } of input.openBefore)
      this.adjustOpenAmount(tradeId, openAmount, openedAt);
  }

  /** New fills come last: each is told of as it is booked. */
  emitInOrder(): readonly NewSignal[] {
    for (const step of this.input.bookedFills) {
      const isTold = this.input.newFillIds.has(step.fill.id) && step.fill.copierId === null;
      // What a lot was before its first signal has to be known before the step is followed.
      if (isTold) for (const trade of this.tradesOf(step)) this.emittedLotOf(trade, step.fill);
      this.applyFill(step);
      if (isTold) this.emitFill(step);
    }
    return this.signals;
  }

  /** A new fill came late: what is open now is told, as far as it differs from what was. */
  emitCorrections(): readonly NewSignal[] {
    const { bookedFills, trades, newFillIds } = this.input;
    const fresh = bookedFills.filter(({ fill }) => newFillIds.has(fill.id) && fill.copierId === null);
    if (fresh.length === 0) return [];
    for (const step of bookedFills) this.applyFill(step);
    for (const trade of trades.values()) {
      const isNews = this.isNeverEmitted(trade);
      const entries = bookedFills.filter(
        ({ fill, opened }) =>
          fill.tradeId === trade.id && opened !== null && (isNews || newFillIds.has(fill.id)),
      );
      const exit = fresh.findLast(({ fill }) => fill.side !== trade.side) ?? fresh.at(-1)!;
      this.emitCorrection(trade, entries, exit.fill);
    }
    return this.signals;
  }

  private emitFill({ fill, opened, lotClosures }: BookedFill): void {
    for (const tradeId of new Set(lotClosures.map((part) => part.tradeId))) {
      const trade = this.input.trades.get(tradeId);
      if (trade === undefined) continue;
      const taken = lotClosures.reduce(
        (sum, part) => (part.tradeId === tradeId ? sum + part.amount : sum),
        0n,
      );
      this.emitExit(trade, fill, taken);
    }
    const trade = this.input.trades.get(fill.tradeId);
    if (opened !== null && trade !== undefined) this.emitEntry(trade, fill, opened.filled, opened.amount);
  }

  private emitCorrection(trade: LeaderTrade, entries: readonly BookedFill[], exit: FillToBook): void {
    const open = this.open.get(trade.id) ?? 0n;
    const isKnown = this.input.emittedLots.has(trade.id);
    // Nobody was told of it, so that nobody can have copied it.
    if (!isKnown && (entries.length === 0 || open === 0n)) return;
    const last = entries.at(-1)?.fill;
    if (last !== undefined && this.isNeverEmitted(trade)) this.startLot(trade, last);
    const lot = this.emittedLotOf(trade, last ?? exit, 0n);
    if (open < lot.open) this.emitExit(trade, exit, lot.open - open);
    else if (open > lot.open && last !== undefined) {
      const filled = entries.reduce((sum, { opened }) => sum + (opened?.filled ?? 0n), 0n);
      this.emitEntry(trade, last, filled, open - lot.open);
    }
  }

  private emitEntry(trade: LeaderTrade, fill: FillToBook, filled: bigint, grown: bigint): void {
    const lot = this.emittedLotOf(trade, fill);
    const before = lot.open;
    const kind = lot.isEmitted || lot.firstSequence !== null ? 'INCREASE' : 'OPEN';
    lot.cumulative += filled;
    lot.open += grown;
    this.emit(trade, fill, { kind, side: trade.side, filled, before, exit: 0n });
  }

  private emitExit(trade: LeaderTrade, fill: FillToBook, taken: bigint): void {
    const lot = this.emittedLotOf(trade, fill);
    const before = lot.open;
    const isClosed = (this.open.get(trade.id) ?? 0n) === 0n || taken >= before;
    const exit = isClosed ? before : taken;
    // Told as closed before.
    if (exit === 0n) return;
    lot.open -= exit;
    const side = trade.side === 'BUY' ? 'SELL' : 'BUY';
    this.emit(trade, fill, { kind: isClosed ? 'CLOSE' : 'REDUCE', side, filled: exit, before, exit });
  }

  private emit(
    trade: LeaderTrade,
    fill: FillToBook,
    what: Pick<NewSignal, 'kind' | 'side'> & Record<'filled' | 'before' | 'exit', bigint>,
  ): void {
    const lot = this.emittedLotOf(trade, fill);
    lot.isEmitted = true;
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
      filledAmount: formatUnits(what.filled),
      cumulativeAmount: formatUnits(lot.cumulative),
      lotAmountBefore: formatUnits(what.before),
      lotAmountAfter: formatUnits(lot.open),
      exitAmount: formatUnits(what.exit),
      referencePrice: fill.price,
      leaderEquity: trade.leaderEquity,
      signalAt: fill.executedAt,
    });
  }

  /** Of a lot that no signal told of, what was there before the new fills is taken as told: it is older than signals. */
  private emittedLotOf(
    trade: LeaderTrade,
    fill: FillToBook,
    untold = this.open.get(trade.id) ?? 0n,
  ): EmittedLot {
    const known = this.lots.get(trade.id);
    if (known !== undefined) return known;
    const told = this.input.emittedLots.get(trade.id);
    const filledBefore = parseUnits(trade.filledAmount) - this.newlyFilled(trade.id);
    const isOlder = filledBefore > 0n || untold > 0n;
    const lot: EmittedLot =
      told === undefined
        ? {
            firstSequence: isOlder ? 0 : null,
            openedAt: this.openedAt.get(trade.id) ?? fill.executedAt,
            isEmitted: false,
            cumulative: filledBefore > 0n ? filledBefore : 0n,
            open: untold,
          }
        : {
            firstSequence: told.firstSequence,
            openedAt: told.openedAt,
            isEmitted: true,
            cumulative: parseUnits(told.cumulativeAmount),
            open: parseUnits(told.openAmount),
          };
    this.lots.set(trade.id, lot);
    return lot;
  }

  /** Whether nobody was told of the trade, and not because it is older than signals: it was over before it was known. */
  private isNeverEmitted({ id }: LeaderTrade): boolean {
    const { emittedLots, openBeforeRewind } = this.input;
    return !emittedLots.has(id) && openBeforeRewind !== null && !openBeforeRewind.has(id);
  }

  private startLot(trade: LeaderTrade, last: FillToBook): void {
    const { bookedFills, newFillIds } = this.input;
    const entered = bookedFills
      .filter(({ fill, opened }) => fill.tradeId === trade.id && (opened !== null || newFillIds.has(fill.id)))
      .reduce((sum, { fill }) => sum + parseUnits(fill.amount), 0n);
    this.lots.set(trade.id, {
      firstSequence: null,
      openedAt: this.openedAt.get(trade.id) ?? last.executedAt,
      isEmitted: false,
      cumulative: parseUnits(trade.filledAmount) - entered,
      open: 0n,
    });
  }

  private newlyFilled(tradeId: string): bigint {
    return this.input.bookedFills
      .filter(({ fill }) => fill.tradeId === tradeId && this.input.newFillIds.has(fill.id))
      .reduce((sum, { fill }) => sum + parseUnits(fill.amount), 0n);
  }

  private tradesOf({ fill, opened, lotClosures }: BookedFill): readonly LeaderTrade[] {
    const ids = new Set(lotClosures.map(({ tradeId }) => tradeId));
    if (opened !== null) ids.add(fill.tradeId);
    return [...ids].flatMap((id) => this.input.trades.get(id) ?? []);
  }

  private applyFill({ fill, opened, lotClosures }: BookedFill): void {
    for (const { tradeId, amount } of lotClosures) this.adjustOpenAmount(tradeId, -amount, fill.executedAt);
    if (opened !== null) this.adjustOpenAmount(fill.tradeId, opened.amount, fill.executedAt);
  }

  private adjustOpenAmount(tradeId: string, amount: bigint, at: Date): void {
    this.open.set(tradeId, (this.open.get(tradeId) ?? 0n) + amount);
    if (!this.openedAt.has(tradeId)) this.openedAt.set(tradeId, at);
  }
}
