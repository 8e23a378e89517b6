/**
 * First in, first out: which fill closed what, and what that came to. Pure, and a stream: a book takes the fills of
 * one account and pair one by one, and holds no more than what is open.
 *
 * A fill that takes exposure opens a lot; fills of the other side take from the oldest lot first. A fee in base
 * currency lessens what was bought (or adds to what was given away), a fee in quote currency what was paid or
 * received for it. A fee in any other currency has no known rate here and touches neither.
 *
 * Invariants
 * 1. Amounts are conserved: what fills bought less what they sold, fees in base included, is what the lots hold less
 *    what was sold without a lot. No lot is negative, and lots are all of one side.
 * 2. Values are conserved to the last unit: the parts of a lot cost together what the lot cost, and the parts of a
 *    fill bring together what the fill brought. The last part takes what divisions left over.
 * 3. A fill told twice counts once: fills come in the order of their execution, and the same one has the same
 *    instant, so that only those of the current instant have to be remembered.
 * 4. On spot a sale without a lot opens nothing: it is unmatched, and its result is not known.
 * 5. A trade is closed once it has ended, all of its fills were seen, and nothing that it opened is left.
 */
import type { Decimal, TradeSide } from '@trading-automation/contracts';

/** An amount of base currency in 10^-18; exact. */
type BaseUnits = bigint;
/** A value in quote currency in 10^-36: the product of a price and an amount; exact. */
type QuoteUnits = bigint;

export const BASE_SCALE = 18;
export const QUOTE_SCALE = 36;
const QUOTE_PER_PRICE = 10n ** BigInt(QUOTE_SCALE - BASE_SCALE);

/** What a book has to know of its pair. */
export interface PairTerms {
  readonly base: string;
  readonly quote: string;
  /** Whether a sale without a lot opens a short one. */
  readonly canBeShort: boolean;
}

/** A fill with what is known of its trade by now. */
export interface LotFill {
  readonly tradeId: string;
  readonly exchangeFillId: string;
  readonly side: TradeSide;
  readonly price: Decimal;
  readonly amount: Decimal;
  readonly feeAmount: Decimal;
  readonly feeCurrency: string;
  readonly executedAt: Date;
  /** The sum of all known fills of the trade. */
  readonly tradeFilledAmount: Decimal;
  /** Whether the trade can have no more of them. */
  readonly hasTradeEnded: boolean;
}

/** What a fill took from a lot. */
export interface ClosedPart {
  /** The trade that opened the lot. */
  readonly tradeId: string;
  readonly amount: BaseUnits;
  readonly pnl: QuoteUnits;
}

/** A trade whose exposure is offset in full. */
export interface ClosedTrade {
  readonly tradeId: string;
  readonly openedAt: Date;
  readonly closedAt: Date;
  /** Of all parts of its lots, the fees of both sides taken off. */
  readonly pnl: QuoteUnits;
}

export interface FillOutcome {
  /** Price × amount. */
  readonly volume: QuoteUnits;
  /** The fee in quote currency, one in base currency at the fill's price; null where it is in a third one. */
  readonly fee: QuoteUnits | null;
  /** The fee as it was paid, in 10^-18 of its own currency. */
  readonly feePaid: bigint;
  readonly parts: readonly ClosedPart[];
  readonly closedTrades: readonly ClosedTrade[];
  /** Sold without a lot. */
  readonly unmatched: BaseUnits;
}

export interface OpenLot {
  readonly tradeId: string;
  /** BUY: bought and not sold yet; SELL: sold and not bought back yet. */
  readonly side: TradeSide;
  readonly amount: BaseUnits;
  /** What it cost, or brought, with its fees in quote currency. */
  readonly value: QuoteUnits;
  readonly openedAt: Date;
}

interface Holding {
  readonly tradeId: string;
  readonly openedAt: Date;
  amount: BaseUnits;
  value: QuoteUnits;
}

/** A trade of which something is open or still expected. */
interface TradeProgress {
  openedAt: Date | null;
  open: BaseUnits;
  seen: BaseUnits;
  isComplete: boolean;
  pnl: QuoteUnits;
}

/** What is left of a fill while it is given out to lots. */
interface Remainder {
  amount: BaseUnits;
  value: QuoteUnits;
}

type Measured = Pick<FillOutcome, 'volume' | 'fee' | 'feePaid'> & { readonly rest: Remainder };

export class LotBook {
  /** Oldest first, from `first` on. */
  private holdings: Holding[] = [];
  private first = 0;
  private side: TradeSide = 'BUY';
  private readonly trades = new Map<string, TradeProgress>();
  private instant = Number.NEGATIVE_INFINITY;
  private readonly toldAtInstant = new Set<string>();

  constructor(private readonly terms: PairTerms) {}

  /**
   * Takes the next fill; null where it was told before.
   *
   * @throws {RangeError} on a fill that was executed before one that is already in
   */
  apply(fill: LotFill): FillOutcome | null {
    if (this.isKnown(fill)) return null;
    const { volume, fee, feePaid, rest } = this.measure(fill);
    const progress = this.progressOf(fill);
    const parts = fill.side === this.side ? [] : this.close(fill.side, rest);
    const isOpening = fill.side === 'BUY' || this.terms.canBeShort;
    if (isOpening && rest.amount > 0n) this.open(fill, progress, rest);
    return {
      volume,
      fee,
      feePaid,
      parts,
      closedTrades: this.closedBy(fill, parts),
      unmatched: isOpening ? 0n : rest.amount,
    };
  }

  get openLots(): readonly OpenLot[] {
    return this.holdings
      .slice(this.first)
      .map(({ tradeId, openedAt, amount, value }) => ({ tradeId, side: this.side, amount, value, openedAt }));
  }

  private isKnown({ tradeId, exchangeFillId, executedAt }: LotFill): boolean {
    const instant = executedAt.getTime();
    if (instant < this.instant) throw new RangeError('fills must come in the order of their execution');
    if (instant > this.instant) this.toldAtInstant.clear();
    this.instant = instant;
    const key = `${tradeId}/${exchangeFillId}`;
    if (this.toldAtInstant.has(key)) return true;
    this.toldAtInstant.add(key);
    return false;
  }

  private measure(fill: LotFill): Measured {
    const price = unitsOf(fill.price);
    const amount = unitsOf(fill.amount);
    const feePaid = unitsOf(fill.feeAmount);
    const volume = price * amount;
    const sign = fill.side === 'BUY' ? 1n : -1n;
    if (fill.feeCurrency === this.terms.quote) {
      const fee = feePaid * QUOTE_PER_PRICE;
      return { volume, fee, feePaid, rest: { amount, value: volume + sign * fee } };
    }
    if (fill.feeCurrency === this.terms.base) {
      const moved = amount - sign * feePaid;
      // A fee takes no more than what was bought.
      const rest = { amount: moved > 0n ? moved : 0n, value: volume };
      return { volume, fee: price * feePaid, feePaid, rest };
    }
    return { volume, fee: feePaid === 0n ? 0n : null, feePaid, rest: { amount, value: volume } };
  }

  private progressOf(fill: LotFill): TradeProgress {
    const progress = this.trades.get(fill.tradeId) ?? {
      openedAt: null,
      open: 0n,
      seen: 0n,
      isComplete: false,
      pnl: 0n,
    };
    progress.seen += unitsOf(fill.amount);
    progress.isComplete = fill.hasTradeEnded && progress.seen >= unitsOf(fill.tradeFilledAmount);
    this.trades.set(fill.tradeId, progress);
    return progress;
  }

  /** Gives `rest` out to the oldest lots, as far as they go. */
  private close(side: TradeSide, rest: Remainder): ClosedPart[] {
    const parts: ClosedPart[] = [];
    while (rest.amount > 0n && this.first < this.holdings.length) {
      const lot = this.holdings[this.first]!;
      const amount = lesser(lot.amount, rest.amount);
      const entry = take(lot, amount);
      const exit = take(rest, amount);
      const pnl = side === 'SELL' ? exit - entry : entry - exit;
      const progress = this.trades.get(lot.tradeId)!;
      progress.open -= amount;
      progress.pnl += pnl;
      parts.push({ tradeId: lot.tradeId, amount, pnl });
      if (lot.amount === 0n) this.first += 1;
    }
    // Given back in bulk: taking from the front of an array one by one costs its length each time.
    if (this.first > 1_000 && this.first * 2 > this.holdings.length) {
      this.holdings = this.holdings.slice(this.first);
      this.first = 0;
    }
    return parts;
  }

  private open(fill: LotFill, progress: TradeProgress, { amount, value }: Remainder): void {
    if (this.first === this.holdings.length) {
      this.holdings = [];
      this.first = 0;
      this.side = fill.side;
    }
    this.holdings.push({ tradeId: fill.tradeId, openedAt: fill.executedAt, amount, value });
    progress.open += amount;
    progress.openedAt ??= fill.executedAt;
  }

  /** The trades that this fill closed, oldest lot first; those of which nothing more can come are forgotten. */
  private closedBy(fill: LotFill, parts: readonly ClosedPart[]): ClosedTrade[] {
    const closed: ClosedTrade[] = [];
    for (const tradeId of new Set([...parts.map((part) => part.tradeId), fill.tradeId])) {
      const progress = this.trades.get(tradeId)!;
      if (!progress.isComplete || progress.open > 0n) continue;
      this.trades.delete(tradeId);
      const { openedAt, pnl } = progress;
      if (openedAt !== null) closed.push({ tradeId, openedAt, closedAt: fill.executedAt, pnl });
    }
    return closed;
  }
}

/** Takes `amount` out of `from` with its share of the value; the last part takes all that is left. */
function take(from: Remainder, amount: BaseUnits): QuoteUnits {
  const value = amount === from.amount ? from.value : (from.value * amount) / from.amount;
  from.amount -= amount;
  from.value -= value;
  return value;
}

/** `Math.min` knows no bigints. */
function lesser(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

/** A decimal of at most 18 decimals in units of 10^-18. */
function unitsOf(text: Decimal): bigint {
  const point = text.indexOf('.');
  if (point < 0) return BigInt(text) * 10n ** BigInt(BASE_SCALE);
  return BigInt(text.slice(0, point) + text.slice(point + 1).padEnd(BASE_SCALE, '0'));
}
