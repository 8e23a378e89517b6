/** Computes how fills change the stored lots of a book. The functions are pure; `LotBook` matches fills with lots. */
import type { Decimal, TradeSide, TradingType } from '@trading-automation/contracts';
import { type CopySource, LotBook, type LotClosure, type OpenedLot, opensExcess } from './lots.rules.js';

/** A lot as it is stored. Amounts are in 10^-18 of base currency, values in 10^-36 of quote currency. */
export interface StoredLot {
  /** The id of the fill that opened the lot. */
  readonly id: string;
  readonly userId: string;
  readonly exchangeAccountId: string;
  readonly tradePairId: string;
  readonly symbol: string;
  readonly copierId: string | null;
  /** The strategy of the opening trade; for copies, the copied strategy. */
  readonly strategyId: string | null;
  /** Copies only: the trade that opened the leader's lot; null for the excess of an exit. */
  readonly sourceTradeId: string | null;
  readonly tradeId: string;
  readonly side: TradeSide;
  readonly openedAmount: bigint;
  readonly openAmount: bigint;
  readonly openedValue: bigint;
  readonly openValue: bigint;
  /** The profit or loss of the closed part. */
  readonly pnl: bigint;
  readonly isDetached: boolean;
  readonly openedAt: Date;
  readonly closedAt: Date | null;
}

/** The part of a lot that a fill closed, as it is stored. */
export interface StoredClosure extends Omit<LotClosure, 'tradeId'> {
  readonly fillId: string;
  readonly exchangeAccountId: string;
  readonly tradePairId: string;
  /** The trade of the closing fill. */
  readonly tradeId: string;
  readonly closedAt: Date;
}

/** A fill with the fields of its trade that lots and signals need. */
export interface FillToBook {
  readonly id: string;
  readonly tradeId: string;
  readonly side: TradeSide;
  readonly price: Decimal;
  readonly amount: Decimal;
  readonly feeAmount: Decimal;
  readonly feeCurrency: string;
  /** The value in quote currency of a fee in a third asset; null if it is unknown. */
  readonly feeValue?: Decimal | null;
  readonly executedAt: Date;
  readonly userId: string;
  readonly exchangeAccountId: string;
  readonly tradePairId: string;
  readonly symbol: string;
  readonly tradingType: TradingType;
  readonly copierId: string | null;
  readonly strategyId: string | null;
  readonly copiedStrategyId: string | null;
  readonly sourceTradeId: string | null;
  /** The lot that the fill's order closes; null if it closes lots of any owner in their order. */
  readonly closesLotId?: string | null;
  /** Whether the order is an entry of a copy that may be short: it closes no lot. */
  readonly opensOnly?: boolean;
}

/** A fill, with the lot that it opened and the closures that it caused. */
export interface BookedFill {
  readonly fill: FillToBook;
  readonly opened: OpenedLot | null;
  readonly lotClosures: readonly LotClosure[];
}

export interface BookingResult {
  readonly bookedFills: readonly BookedFill[];
  /** Lots that the fills opened, in their state after the last fill. */
  readonly opened: readonly StoredLot[];
  /** Existing lots that the fills changed. */
  readonly changed: readonly StoredLot[];
  readonly closures: readonly StoredClosure[];
}

export interface LotBookPair {
  readonly base: string;
  /** The currency of values and results: of a perpetual, its settlement currency. */
  readonly quote: string;
  readonly tradingType: TradingType;
  readonly amountStep: Decimal;
}

/**
 * Books fills into the lots of a book. Fills must be in order of execution.
 *
 * @param openLots the open lots of the book in the order of opening; may be empty if none of the fills can close a lot
 */
export function bookFills(
  { base, quote, tradingType, amountStep }: LotBookPair,
  openLots: readonly StoredLot[],
  fills: readonly FillToBook[],
): BookingResult {
  const options = { base, quote, amountStep, tradingType };
  const book = new LotBook(
    options,
    openLots.map((lot) => ({
      ...lot,
      lotId: lot.id,
      copy: copySourceOf(lot),
      amount: lot.openAmount,
      value: lot.openValue,
    })),
  );
  const before = new Map(openLots.map((lot) => [lot.id, lot]));
  const after = new Map(before);
  const bookedFills: BookedFill[] = [];
  const closures: StoredClosure[] = [];
  for (const fill of fills) {
    const bookFill = { ...fill, copy: copySourceOf(fill) };
    const { opened, lotClosures } = book.apply(bookFill);
    for (const closure of lotClosures) {
      after.set(closure.lotId, reducedLot(after.get(closure.lotId)!, closure, fill.executedAt));
      closures.push(storedClosureOf(closure, fill));
    }
    const copy = opensExcess(bookFill, options) ? undefined : bookFill.copy;
    if (opened !== null) after.set(opened.lotId, lotOf(fill, opened, copy));
    bookedFills.push({ fill, opened, lotClosures });
  }
  const lots = [...after.values()];
  return {
    bookedFills,
    opened: lots.filter(({ id }) => !before.has(id)),
    changed: lots.filter((lot) => before.has(lot.id) && before.get(lot.id) !== lot),
    closures,
  };
}

function copySourceOf({
  copierId,
  sourceTradeId,
  tradeId,
}: Pick<StoredLot, 'copierId' | 'sourceTradeId' | 'tradeId'>): CopySource | undefined {
  if (copierId === null) return undefined;
  return { copierId, lotTradeId: sourceTradeId ?? tradeId };
}

function reducedLot(lot: StoredLot, { amount, entryValue, pnl, detaches }: LotClosure, at: Date): StoredLot {
  const openAmount = lot.openAmount - amount;
  return {
    ...lot,
    openAmount,
    openValue: lot.openValue - entryValue,
    pnl: lot.pnl + pnl,
    isDetached: lot.isDetached || detaches,
    closedAt: openAmount === 0n ? at : null,
  };
}

function storedClosureOf(
  { tradeId: _openingTrade, ...closure }: LotClosure,
  fill: FillToBook,
): StoredClosure {
  const { id: fillId, exchangeAccountId, tradePairId, tradeId, executedAt: closedAt } = fill;
  return { ...closure, fillId, exchangeAccountId, tradePairId, tradeId, closedAt };
}

/** @param copy - the copied lot that the opened lot is part of */
function lotOf(
  fill: FillToBook,
  { lotId, amount, value }: OpenedLot,
  copy: CopySource | undefined,
): StoredLot {
  const { userId, exchangeAccountId, tradePairId, symbol, copierId, tradeId, side, executedAt } = fill;
  return {
    id: lotId,
    userId,
    exchangeAccountId,
    tradePairId,
    symbol,
    copierId,
    strategyId: copierId === null ? fill.strategyId : fill.copiedStrategyId,
    sourceTradeId: copy?.lotTradeId ?? null,
    tradeId,
    side,
    openedAmount: amount,
    openAmount: amount,
    openedValue: value,
    openValue: value,
    pnl: 0n,
    isDetached: false,
    openedAt: executedAt,
    closedAt: null,
  };
}
