/**
 * Matches fills with lots, first in, first out, and computes the profit or loss. The code does no I/O. A book takes the
 * fills of one account and pair one by one and holds only open lots. It can continue from stored lots.
 *
 * A fill that adds exposure opens a lot; a fill of the other side closes the oldest lot first. A fee in base currency
 * reduces the amount bought (or increases the amount sold); a fee in quote currency changes the value. A fee in a third
 * asset changes the value, too, by its worth at the time of the fill. Until that is known, it changes nothing. On a perpetual,
 * nothing is delivered from which a fee could be deducted: a fee in base currency changes the value, at the price of its fill.
 *
 * Copies have separate lots within the book, one list per copier and copied leader lot. Several copiers on one account
 * therefore never sell each other's lots. The lots of no copier are one more list. In this file, the owner of a lot is
 * the list that it belongs to.
 *
 * A copy closes its own lots first, then other lots of its copier. Where lots may be short, an entry of a copy closes none: its
 * lot and lots of the other side that its copier still holds exist beside each other. An exit of a copy may exceed the lots of its copier, for
 * example if auto-deleveraging was reported late. The excess opens a lot of a list of its own: it is no part of the copied lot, so
 * no exit follows it. Any other fill closes lots of no copier first, then
 * lots of copies, oldest first; a manual trade can thus close copies. A fill of an order that closes one lot closes this lot
 * first. A lot of a copy is detached once a fill that is not of its copier has reduced it.
 *
 * Invariants
 * 1. Amounts are conserved, except for dust (invariant 5). The amount bought less the amount sold, including fees in
 *    base, equals the open lots less unmatched sales. No lot is negative, and all lots of one owner are on one side.
 * 2. Values are conserved to the last unit. The costs of the parts of a lot add up to the cost of the lot. The proceeds
 *    of the parts of a fill add up to the proceeds of the fill. The last part takes the remainder of divisions.
 * 3. On spot, a sale without a lot opens nothing: it is unmatched, and its profit or loss is unknown. Elsewhere it opens a short lot.
 * 4. A copy closes only lots of its copier: a sale beyond them is unmatched too.
 * 5. Dust keeps no long lot open. Dust is less than the amount step, for example the remainder after a fee in base. A
 *    sale that leaves only dust of an owner or of the chosen lot also closes the dust, at its cost and without proceeds.
 *    Dust of a short lot stays, because it is owed. A perpetual has no dust: an open amount is a position.
 */
import { DECIMAL_SCALE, type Decimal, type TradeSide, type TradingType } from '@trading-automation/contracts';

/** An amount of base currency in 10^-18; exact. */
type BaseUnits = bigint;
/** A value in quote currency in 10^-36: the product of a price and an amount; exact. */
type QuoteUnits = bigint;

const BASE_SCALE = DECIMAL_SCALE;
export const QUOTE_SCALE = 2 * DECIMAL_SCALE;

/** The properties of the pair that a book needs. */
export interface LotBookOptions {
  readonly base: string;
  readonly quote: string;
  readonly tradingType: TradingType;
  /** Amounts of orders are multiples of this. */
  readonly amountStep: Decimal;
}

/** The copier and the leader's lot that a copy follows. */
export interface CopySource {
  readonly copierId: string;
  /** The trade that opened the leader's lot. */
  readonly lotTradeId: string;
}

export interface LotFill {
  /** Also the id of a lot that the fill opens. */
  readonly id: string;
  readonly tradeId: string;
  /** Undefined if the fill is not of a copy. */
  readonly copy: CopySource | undefined;
  readonly side: TradeSide;
  readonly price: Decimal;
  readonly amount: Decimal;
  readonly feeAmount: Decimal;
  readonly feeCurrency: string;
  /** The value in quote currency of a fee in a third asset; null if it is unknown. */
  readonly feeValue?: Decimal | null;
  readonly executedAt: Date;
  /** The lot that the fill's order closes. What exceeds it closes other lots, as any fill does. */
  readonly closesLotId?: string | null;
  /** Whether the order is an entry of a copy that may be short: it closes no lot. */
  readonly opensOnly?: boolean;
}

/** The part of a lot that a fill closed. */
export interface LotClosure {
  readonly lotId: string;
  /** The trade that opened the lot. */
  readonly tradeId: string;
  /** The closed amount, including dust that the fill closed too. */
  readonly amount: BaseUnits;
  /** The cost of the part when it was opened; for a short lot, its proceeds. */
  readonly entryValue: QuoteUnits;
  /** Net of the fees of both sides. */
  readonly pnl: QuoteUnits;
  /** Whether the lot belongs to a copier, and the fill does not. */
  readonly detaches: boolean;
}

/** A lot that a fill opened. */
export interface OpenedLot {
  readonly lotId: string;
  /** The opened amount, net of a fee in base. */
  readonly amount: BaseUnits;
  /** The cost, or for a short lot the proceeds, including the fee in quote currency. */
  readonly value: QuoteUnits;
  /** The amount before a fee in base was deducted. If the fill also closed lots, it is the opened amount. */
  readonly filled: BaseUnits;
}

export interface FillOutcome {
  /** In the order of closing. */
  readonly lotClosures: readonly LotClosure[];
  readonly opened: OpenedLot | null;
  /** The amount sold without a lot. */
  readonly unmatched: BaseUnits;
}

export interface HeldLot {
  readonly lotId: string;
  readonly tradeId: string;
  readonly copy: CopySource | undefined;
  /** BUY: bought and not sold yet; SELL: sold and not bought back yet. */
  readonly side: TradeSide;
  readonly amount: BaseUnits;
  /** The cost, or for a short lot the proceeds, including fees in quote currency. */
  readonly value: QuoteUnits;
}

interface MutableLot {
  readonly lotId: string;
  readonly tradeId: string;
  amount: BaseUnits;
  value: QuoteUnits;
  /** The position among the lots of all owners, in the order of opening. */
  readonly ordinal: number;
}

/** The part of a fill that is not allocated to lots yet. */
interface Remainder {
  amount: BaseUnits;
  value: QuoteUnits;
}

/** The open lots of one owner, oldest first; all are on one side. */
class OpenLots {
  side: TradeSide = 'BUY';
  private lots: MutableLot[] = [];
  private first = 0;

  constructor(readonly copy: CopySource | undefined) {}

  get oldest(): MutableLot | undefined {
    return this.lots[this.first];
  }

  get count(): number {
    return this.lots.length - this.first;
  }

  get all(): readonly MutableLot[] {
    return this.lots.slice(this.first);
  }

  add(side: TradeSide, lot: MutableLot): void {
    if (this.oldest === undefined) {
      this.lots = [];
      this.first = 0;
      this.side = side;
    }
    this.lots.push(lot);
  }

  find(lotId: string): MutableLot | undefined {
    return this.lots.find((lot, at) => at >= this.first && lot.lotId === lotId);
  }

  drop(lot: MutableLot): void {
    if (lot !== this.oldest) {
      this.lots.splice(this.lots.indexOf(lot, this.first), 1);
      return;
    }
    this.first += 1;
    // Drops many lots at once, because removing the first element of an array takes time linear in its length.
    if (this.first > Math.max(1_000, this.lots.length / 2)) {
      this.lots = this.lots.slice(this.first);
      this.first = 0;
    }
  }
}

/** One sale leaves dust in few lots. If an owner has more lots than this, they are not checked for dust. */
const DUST_LOTS_MAX = 8;

export class LotBook {
  /** The lots that belong to no copier. */
  private readonly uncopied = new OpenLots(undefined);
  /** The lots of copies, by `copyKey`. */
  private readonly copies = new Map<string, OpenLots>();
  private nextOrdinal = 0;
  private lastInstantMs = Number.NEGATIVE_INFINITY;
  private readonly amountStep: BaseUnits;

  /** @param openLots the lots to continue from, in the order of opening */
  constructor(
    private readonly options: LotBookOptions,
    openLots: readonly HeldLot[] = [],
  ) {
    this.amountStep = parseUnits(options.amountStep);
    for (const { copy, side, ...lot } of openLots) this.addLot(copy, side, lot);
  }

  /**
   * Books the next fill, which must not be booked yet.
   *
   * @throws {RangeError} if the fill was executed before one that is already booked
   */
  apply(fill: LotFill): FillOutcome {
    const instantMs = fill.executedAt.getTime();
    if (instantMs < this.lastInstantMs)
      throw new RangeError(
        `fills must be in order of execution; got ${fill.executedAt.toISOString()} after ${new Date(this.lastInstantMs).toISOString()}`,
      );
    this.lastInstantMs = instantMs;
    const rest = this.amountsNetOfFee(fill);
    const lotClosures = this.close(fill, rest);
    const isOpening = fill.side === 'BUY' || canBeShort(this.options);
    if (!isOpening || rest.amount === 0n) return { lotClosures, opened: null, unmatched: rest.amount };
    return { lotClosures, opened: this.open(fill, rest, lotClosures.length === 0), unmatched: 0n };
  }

  /** All open lots in the order of opening. */
  get openLots(): readonly HeldLot[] {
    return [this.uncopied, ...this.copies.values()]
      .flatMap(({ copy, side, all }) => all.map((lot) => ({ ...lot, copy, side })))
      .sort((a, b) => a.ordinal - b.ordinal)
      .map(({ ordinal: _ordinal, ...lot }) => lot);
  }

  /** Returns the base amount and the quote value of the fill, net of its fee. */
  private amountsNetOfFee(fill: LotFill): Remainder {
    const filled = parseUnits(fill.amount);
    const value = parseUnits(fill.price) * filled;
    const isBuy = fill.side === 'BUY';
    const { base, tradingType } = this.options;
    if (fill.feeCurrency !== base || tradingType === 'perpetual') {
      const fee = this.feeInQuote(fill);
      return { amount: filled, value: isBuy ? value + fee : value - fee };
    }
    const fee = parseUnits(fill.feeAmount);
    const netAmount = isBuy ? filled - fee : filled + fee;
    // A fee that exceeds the bought amount must not open a negative lot.
    return { amount: netAmount > 0n ? netAmount : 0n, value };
  }

  /** Returns the value of the fee; 0 if it is not known. */
  private feeInQuote({ price, feeAmount, feeCurrency, feeValue }: LotFill): QuoteUnits {
    const { base, quote } = this.options;
    if (feeCurrency === base) return parseUnits(feeAmount) * parseUnits(price);
    return parseUnits(feeCurrency === quote ? feeAmount : (feeValue ?? '0'), QUOTE_SCALE);
  }

  /** Allocates `rest` to lots: those of the fill's owner first, then others that the fill may close, oldest first. */
  private close(fill: LotFill, rest: Remainder): LotClosure[] {
    if (fill.opensOnly === true) return [];
    const closures = this.closeChosenLot(fill, rest);
    while (rest.amount > 0n) {
      const lots = this.nextLotsToClose(fill);
      if (lots === undefined) break;
      closures.push(this.closePart(lots, lots.oldest!, fill, rest));
      if (rest.amount === 0n && this.isDust(lots))
        return mergeClosures([...closures, ...this.closeDust(lots, fill)]);
    }
    return closures;
  }

  /** Closes the lot that the fill's order chose, if it is open, and dust of it or of its owner, because no order can sell dust. */
  private closeChosenLot(fill: LotFill, rest: Remainder): LotClosure[] {
    if (fill.closesLotId == null || rest.amount === 0n) return [];
    for (const lots of [this.uncopied, ...this.copies.values()]) {
      const lot = lots.side === fill.side ? undefined : lots.find(fill.closesLotId);
      if (lot === undefined) continue;
      const closures = [this.closePart(lots, lot, fill, rest)];
      const isDust = this.canHaveDust(lots) && lot.amount > 0n && lot.amount < this.amountStep;
      if (isDust) closures.push(this.closePart(lots, lot, fill, { amount: lot.amount, value: 0n }));
      if (rest.amount === 0n && this.isDust(lots)) closures.push(...this.closeDust(lots, fill));
      return mergeClosures(closures);
    }
    return [];
  }

  private canHaveDust(lots: OpenLots): boolean {
    return this.options.tradingType !== 'perpetual' && lots.side === 'BUY';
  }

  private isDust(lots: OpenLots): boolean {
    if (!this.canHaveDust(lots) || lots.count === 0 || lots.count > DUST_LOTS_MAX) return false;
    return lots.all.reduce((sum, { amount }) => sum + amount, 0n) < this.amountStep;
  }

  private closeDust(lots: OpenLots, fill: LotFill): LotClosure[] {
    return lots.all.map((lot) => this.closePart(lots, lot, fill, { amount: lot.amount, value: 0n }));
  }

  /** Returns the lots of the owner whose oldest lot the fill closes next; undefined if it can close no lot. */
  private nextLotsToClose({ side, copy }: LotFill): OpenLots | undefined {
    const holds = (lots: OpenLots | undefined) => lots?.oldest !== undefined && lots.side !== side;
    const own = copy === undefined ? this.uncopied : this.copies.get(copyKey(copy));
    if (holds(own)) return own;
    let next: OpenLots | undefined;
    for (const lots of this.copies.values()) {
      if (!holds(lots) || (copy !== undefined && copy.copierId !== lots.copy?.copierId)) continue;
      if (next === undefined || lots.oldest!.ordinal < next.oldest!.ordinal) next = lots;
    }
    return next;
  }

  /** Closes as much of the lot as the rest of the fill covers. */
  private closePart(lots: OpenLots, lot: MutableLot, { side, copy }: LotFill, rest: Remainder): LotClosure {
    const amount = lesser(lot.amount, rest.amount);
    const entryValue = takeProRata(lot, amount);
    const exitValue = takeProRata(rest, amount);
    const pnl = side === 'SELL' ? exitValue - entryValue : entryValue - exitValue;
    if (lot.amount === 0n) this.drop(lots, lot);
    const detaches = lots.copy !== undefined && lots.copy.copierId !== copy?.copierId;
    return { lotId: lot.lotId, tradeId: lot.tradeId, amount, entryValue, pnl, detaches };
  }

  private drop(lots: OpenLots, lot: MutableLot): void {
    lots.drop(lot);
    if (lots.copy !== undefined && lots.oldest === undefined) this.copies.delete(copyKey(lots.copy));
  }

  private open(fill: LotFill, { amount, value }: Remainder, isWholeFill: boolean): OpenedLot {
    const { id: lotId, tradeId, side } = fill;
    this.addLot(this.ownerOfOpened(fill), side, { lotId, tradeId, amount, value });
    return { lotId, amount, value, filled: isWholeFill ? parseUnits(fill.amount) : amount };
  }

  private ownerOfOpened(fill: LotFill): CopySource | undefined {
    const { copy, tradeId } = fill;
    if (copy === undefined || !opensExcess(fill, this.options)) return copy;
    return { copierId: copy.copierId, lotTradeId: tradeId };
  }

  private addLot(copy: CopySource | undefined, side: TradeSide, lot: Omit<MutableLot, 'ordinal'>): void {
    const { lotId, tradeId, amount, value } = lot;
    this.openLotsOf(copy).add(side, { lotId, tradeId, amount, value, ordinal: this.nextOrdinal++ });
  }

  private openLotsOf(copy: CopySource | undefined): OpenLots {
    if (copy === undefined) return this.uncopied;
    let lots = this.copies.get(copyKey(copy));
    if (lots === undefined) {
      lots = new OpenLots(copy);
      this.copies.set(copyKey(copy), lots);
    }
    return lots;
  }
}

/** Returns whether what a copy's fill opens exceeds an exit. Then it is no part of the copied lot. */
export function opensExcess(
  { opensOnly }: Pick<LotFill, 'opensOnly'>,
  pair: Pick<LotBookOptions, 'tradingType'>,
): boolean {
  return canBeShort(pair) && opensOnly !== true;
}

/** Returns whether a sale without a lot opens a short lot. */
const canBeShort = ({ tradingType }: Pick<LotBookOptions, 'tradingType'>) => tradingType !== 'spot';

/** Merges the two closures of a lot whose dust was closed: its sold part and its dust. */
function mergeClosures(closures: readonly LotClosure[]): LotClosure[] {
  const merged: LotClosure[] = [];
  for (const closure of closures) {
    const last = merged.at(-1);
    if (last?.lotId !== closure.lotId) merged.push(closure);
    else merged[merged.length - 1] = sumOf(last, closure);
  }
  return merged;
}

function sumOf(sold: LotClosure, dust: LotClosure): LotClosure {
  return {
    ...sold,
    amount: sold.amount + dust.amount,
    entryValue: sold.entryValue + dust.entryValue,
    pnl: sold.pnl + dust.pnl,
  };
}

/** Removes `amount` from `rest` and returns its share of the value; the last part gets all remaining value. */
function takeProRata(rest: Remainder, amount: BaseUnits): QuoteUnits {
  const value = amount === rest.amount ? rest.value : (rest.value * amount) / rest.amount;
  rest.amount -= amount;
  rest.value -= value;
  return value;
}

const copyKey = ({ copierId, lotTradeId }: CopySource) => `${copierId}/${lotTradeId}`;

/** Returns the smaller value; `Math.min` does not accept bigints. */
function lesser(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

/** Converts a decimal with at most `scale` decimals to units of 10^-scale. */
export function parseUnits(text: Decimal, scale = BASE_SCALE): bigint {
  const point = text.indexOf('.');
  if (point < 0) return BigInt(text) * 10n ** BigInt(scale);
  return BigInt(text.slice(0, point) + text.slice(point + 1).padEnd(scale, '0'));
}

/** Converts units of 10^-scale to a decimal. */
export function formatUnits(units: bigint, scale = BASE_SCALE): Decimal {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const fraction = digits.slice(-scale).replace(/0+$/, '');
  const plain = digits.slice(0, -scale) + (fraction === '' ? '' : `.${fraction}`);
  return units < 0n ? `-${plain}` : plain;
}
