/**
 * Derives signals from a book's new fills. The functions are pure.
 *
 * 1. A fill that opens a lot of a strategy is an entry. A fill that reduces such a lot is an exit, unless it is a fill
 *    of a copy. A fill emits one signal for each lot, exits before the entry. Fills of copies emit no signals, and
 *    neither do changes of a copier's lots.
 * 2. The emitted amount of a lot is its open amount according to its signals. It never goes below zero, and it is zero
 *    once the lot is closed. A copier that follows all signals therefore holds nothing of a closed lot.
 * 3. A late fill changes which lots the later fills closed. Emitted signals are never withdrawn. Instead, the late fill
 *    emits an exit for each lot whose open amount is now below its emitted amount. If a late fill reopens a part of a
 *    lot, no entry is emitted for that part.
 * 4. Rule 3 has one exception: a lot that was already closed when its opening fill was booked, because the closing fill
 *    was reported first. This lot has no signals, so its entry is emitted if a late fill reopens it.
 */
import type { Decimal, TradeSide } from '@trading-automation/contracts';
import type { BookedFill, FillToBook, StoredLot } from './booking.rules.js';
import { formatUnits, parseUnits } from './lots.rules.js';
import type { EmittedLotState, NewSignal } from './signals.types.js';

/** A trade that belongs to a strategy and is not a copy. The lot that it opened is the leader's. */
export interface LeaderTrade {
  readonly id: string;
  readonly strategyId: string;
  readonly side: TradeSide;
  readonly amount: Decimal;
  readonly filledAmount: Decimal;
  /** What the fills of the trade closed of other lots; 0 on spot. Only the rest of the trade can open lots. */
  readonly closedAmount: Decimal;
  readonly leaderEquity: Decimal | null;
}

export interface EmissionInput {
  /** All fills that were booked, in order. */
  readonly bookedFills: readonly BookedFill[];
  /** The booked fills that are new; only new fills emit signals. */
  readonly newFillIds: ReadonlySet<string>;
  /** The open lots before the first booked fill. */
  readonly openBefore: readonly StoredLot[];
  /** All leader trades whose lots were opened or changed, by id. */
  readonly trades: ReadonlyMap<string, LeaderTrade>;
  /** The lots' state according to the signals that were already emitted. */
  readonly emittedLots: ReadonlyMap<string, EmittedLotState>;
  /**
   * The trades that had open lots before a late fill rewound the book. Null if the book was not rewound or has fills
   * to backfill; then no entry is emitted for an earlier fill.
   */
  readonly openBeforeRewind: ReadonlySet<string> | null;
}

export function emitSignals(input: EmissionInput): readonly NewSignal[] {
  if (input.trades.size === 0) return [];
  const firstNew = input.bookedFills.findIndex(({ fill }) => input.newFillIds.has(fill.id));
  if (firstNew < 0) return [];
  const isInOrder = input.bookedFills.slice(firstNew).every(({ fill }) => input.newFillIds.has(fill.id));
  const emitter = new SignalEmitter(input);
  return isInOrder ? emitter.emitInOrder() : emitter.emitCorrections();
}

/** The state of a lot according to the signals emitted so far. */
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
  /** The actual open amounts and opening instants of lots, by the trade that opened them. */
  private readonly open = new Map<string, bigint>();
  private readonly openedAt = new Map<string, Date>();

  constructor(private readonly input: EmissionInput) {
    for (const { tradeId, openAmount, openedAt } of input.openBefore)
      this.adjustOpenAmount(tradeId, openAmount, openedAt);
  }

  /** Emits the signals of each new fill as it is booked; used if all new fills come last. */
  emitInOrder(): readonly NewSignal[] {
    for (const bookedFill of this.input.bookedFills) {
      const emitsSignals = this.input.newFillIds.has(bookedFill.fill.id) && bookedFill.fill.copierId === null;
      // The state before the first signal must be read before the fill is applied.
      if (emitsSignals)
        for (const trade of this.tradesOf(bookedFill)) this.emittedLotOf(trade, bookedFill.fill);
      this.applyFill(bookedFill);
      if (emitsSignals) this.emitFill(bookedFill);
    }
    return this.signals;
  }

  /** Emits the difference between the actual open amounts and the emitted ones; used after a late fill. */
  emitCorrections(): readonly NewSignal[] {
    const { bookedFills, trades, newFillIds } = this.input;
    const newFills = bookedFills.filter(({ fill }) => newFillIds.has(fill.id) && fill.copierId === null);
    if (newFills.length === 0) return [];
    for (const bookedFill of bookedFills) this.applyFill(bookedFill);
    for (const trade of trades.values()) {
      const isNewOrWasClosed = this.isNewOrWasClosed(trade);
      const entries = bookedFills.filter(
        ({ fill, opened }) =>
          fill.tradeId === trade.id && opened !== null && (isNewOrWasClosed || newFillIds.has(fill.id)),
      );
      const exit = newFills.findLast(({ fill }) => fill.side !== trade.side) ?? newFills.at(-1)!;
      this.emitCorrection(trade, entries, exit.fill);
    }
    return this.signals;
  }

  private emitFill({ fill, opened, lotClosures }: BookedFill): void {
    for (const tradeId of new Set(lotClosures.map((closure) => closure.tradeId))) {
      const trade = this.input.trades.get(tradeId);
      if (trade === undefined) continue;
      const closedAmount = lotClosures.reduce(
        (sum, closure) => (closure.tradeId === tradeId ? sum + closure.amount : sum),
        0n,
      );
      this.emitExit(trade, fill, closedAmount);
    }
    const trade = this.input.trades.get(fill.tradeId);
    if (opened !== null && trade !== undefined) this.emitEntry(trade, fill, opened.filled, opened.amount);
  }

  private emitCorrection(trade: LeaderTrade, entries: readonly BookedFill[], exit: FillToBook): void {
    const open = this.open.get(trade.id) ?? 0n;
    const last = entries.at(-1)?.fill;
    if (last !== undefined && this.isNewOrWasClosed(trade)) this.startLot(trade, entries, last);
    // Without signals nothing counts as emitted, because no copier can hold the lot.
    const lot = this.emittedLotOf(trade, last ?? exit, 0n);
    if (open < lot.open) this.emitExit(trade, exit, lot.open - open);
    else if (open > lot.open && last !== undefined) {
      const filled = entries.reduce((sum, { opened }) => sum + (opened?.filled ?? 0n), 0n);
      this.emitEntry(trade, last, filled, open - lot.open);
    }
  }

  private emitEntry(trade: LeaderTrade, fill: FillToBook, filled: bigint, openedAmount: bigint): void {
    const lot = this.emittedLotOf(trade, fill);
    const before = lot.open;
    const kind = lot.isEmitted || lot.firstSequence !== null ? 'INCREASE' : 'OPEN';
    lot.cumulative += filled;
    lot.open += openedAmount;
    this.emit(trade, fill, { kind, side: trade.side, filled, before, exit: 0n });
  }

  private emitExit(trade: LeaderTrade, fill: FillToBook, closedAmount: bigint): void {
    const lot = this.emittedLotOf(trade, fill);
    const before = lot.open;
    const isClosed = (this.open.get(trade.id) ?? 0n) === 0n || closedAmount >= before;
    const exit = isClosed ? before : closedAmount;
    // An earlier signal already reported the lot as closed.
    if (exit === 0n) return;
    lot.open -= exit;
    const side = trade.side === 'BUY' ? 'SELL' : 'BUY';
    this.emit(trade, fill, { kind: isClosed ? 'CLOSE' : 'REDUCE', side, filled: exit, before, exit });
  }

  private emit(
    trade: LeaderTrade,
    fill: FillToBook,
    change: Pick<NewSignal, 'kind' | 'side'> & Record<'filled' | 'before' | 'exit', bigint>,
  ): void {
    const lot = this.emittedLotOf(trade, fill);
    lot.isEmitted = true;
    this.signals.push({
      strategyId: trade.strategyId,
      kind: change.kind,
      side: change.side,
      exchangeAccountId: fill.exchangeAccountId,
      tradePairId: fill.tradePairId,
      symbol: fill.symbol,
      tradingType: fill.tradingType,
      lotTradeId: trade.id,
      lotFirstSequence: lot.firstSequence,
      lotOpenedAt: lot.openedAt,
      lotOrderAmount: formatUnits(parseUnits(trade.amount) - parseUnits(trade.closedAmount)),
      sourceTradeId: fill.tradeId,
      sourceFillId: fill.id,
      filledAmount: formatUnits(change.filled),
      cumulativeAmount: formatUnits(lot.cumulative),
      lotAmountBefore: formatUnits(change.before),
      lotAmountAfter: formatUnits(lot.open),
      exitAmount: formatUnits(change.exit),
      referencePrice: fill.price,
      leaderEquity: trade.leaderEquity,
      signalAt: fill.executedAt,
    });
  }

  /**
   * Returns the emitted state of the trade's lot. If the lot existed before the new fills and has no signals, it was
   * opened before the product emitted signals, and its amount counts as emitted.
   */
  private emittedLotOf(
    trade: LeaderTrade,
    fill: FillToBook,
    openBefore = this.open.get(trade.id) ?? 0n,
  ): EmittedLot {
    const known = this.lots.get(trade.id);
    if (known !== undefined) return known;
    const emitted = this.input.emittedLots.get(trade.id);
    const filledBefore = openingUnits(trade) - this.newlyOpening(trade.id);
    const existedBefore = filledBefore > 0n || openBefore > 0n;
    const lot: EmittedLot =
      emitted === undefined
        ? {
            // 0: opened before the product emitted signals. Null: the next signal is the lot's first.
            firstSequence: existedBefore ? 0 : null,
            openedAt: this.openedAt.get(trade.id) ?? fill.executedAt,
            isEmitted: false,
            cumulative: filledBefore > 0n ? filledBefore : 0n,
            open: openBefore,
          }
        : {
            firstSequence: emitted.firstSequence,
            openedAt: emitted.openedAt,
            isEmitted: true,
            cumulative: parseUnits(emitted.cumulativeAmount),
            open: parseUnits(emitted.openAmount),
          };
    this.lots.set(trade.id, lot);
    return lot;
  }

  /**
   * Returns whether the trade's lot has no signals and was not open before the rewind: it is new, or it was already
   * closed when its opening fill was booked. A lot that was open without signals was opened before the product emitted
   * signals at all.
   */
  private isNewOrWasClosed({ id }: LeaderTrade): boolean {
    const { emittedLots, openBeforeRewind } = this.input;
    return !emittedLots.has(id) && openBeforeRewind !== null && !openBeforeRewind.has(id);
  }

  /**
   * Initializes the emitted state of a lot without signals: nothing is open, and the cumulative amount contains only
   * the fills before those that its entry signal will report.
   */
  private startLot(trade: LeaderTrade, entries: readonly BookedFill[], last: FillToBook): void {
    const entered = entries.reduce((sum, bookedFill) => sum + openingPart(bookedFill), 0n);
    this.lots.set(trade.id, {
      firstSequence: null,
      openedAt: this.openedAt.get(trade.id) ?? last.executedAt,
      isEmitted: false,
      cumulative: openingUnits(trade) - entered,
      open: 0n,
    });
  }

  private newlyOpening(tradeId: string): bigint {
    return this.input.bookedFills
      .filter(({ fill }) => fill.tradeId === tradeId && this.input.newFillIds.has(fill.id))
      .reduce((sum, bookedFill) => sum + openingPart(bookedFill), 0n);
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

/** What the fills of the trade opened, before a fee in base currency. */
const openingUnits = ({ filledAmount, closedAmount }: LeaderTrade): bigint =>
  parseUnits(filledAmount) - parseUnits(closedAmount);

/** The part of a fill that closed no lot. */
function openingPart({ fill, lotClosures }: BookedFill): bigint {
  return lotClosures.reduce((rest, { amount }) => rest - amount, parseUnits(fill.amount));
}
