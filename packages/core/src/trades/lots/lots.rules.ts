/**
 * First in, first out: which fill closed what, and what that came to. Pure, and a stream: a book takes the fills of
 * one account and pair one by one, and holds no more than what is open. It can go on from lots that were kept.
 *
 * A fill that takes exposure opens a lot; fills of the other side take from the oldest lot first. A fee in base
 * currency lessens what was bought (or adds to what was given away), a fee in quote currency what was paid or
 * received for it. A fee in any other currency has no known rate here and touches neither.
 *
 * Copies have books of their own within it, one for each copier and lot of the leader that it copies: several copiers
 * on one account never sell each other's. A copy takes from its own book first, then from what else its copier holds.
 * Any other fill takes from what no copier holds first, then from the copies, oldest lot first: whoever trades by hand
 * what copiers hold, closes copies by hand. A lot is detached once something else than its own copies took of it.
 *
 * Invariants
 * 1. Amounts are conserved: what fills bought less what they sold, fees in base included, is what the lots hold less
 *    what was sold without a lot, but for the dust of 5. No lot is negative, and lots of one owner are all of one side.
 * 2. Values are conserved to the last unit: the parts of a lot cost together what the lot cost, and the parts of a
 *    fill bring together what the fill brought. The last part takes what divisions left over.
 * 3. On spot a sale without a lot opens nothing: it is unmatched, and its result is not known.
 * 4. A copy takes nothing of what its copier does not hold: sold without a lot, it is unmatched too.
 * 5. What nobody can sell any more keeps no lot open: where a sale on spot leaves an owner less than the least step of
 *    an amount (a fee in base leaves such), it takes that along, at its cost and for nothing.
 */
import { DECIMAL_SCALE, type Decimal, type TradeSide } from '@trading-automation/contracts';

/** An amount of base currency in 10^-18; exact. */
type BaseUnits = bigint;
/** A value in quote currency in 10^-36: the product of a price and an amount; exact. */
type QuoteUnits = bigint;

const BASE_SCALE = DECIMAL_SCALE;
export const QUOTE_SCALE = 2 * DECIMAL_SCALE;
const QUOTE_PER_PRICE = 10n ** BigInt(QUOTE_SCALE - BASE_SCALE);

/** What a book has to know of its pair. */
export interface LotBookOptions {
  readonly base: string;
  readonly quote: string;
  /** Whether a sale without a lot opens a short one. */
  readonly canBeShort: boolean;
  /** What amounts of orders are multiples of. */
  readonly amountStep: Decimal;
}

/** What a copy is of. */
export interface CopySource {
  readonly copierId: string;
  /** The trade that opened the leader's lot. */
  readonly lotTradeId: string;
}

export interface LotFill {
  /** What a lot that it opens is known by. */
  readonly id: string;
  readonly tradeId: string;
  /** undefined: nobody's copy. */
  readonly copy: CopySource | undefined;
  readonly side: TradeSide;
  readonly price: Decimal;
  readonly amount: Decimal;
  readonly feeAmount: Decimal;
  readonly feeCurrency: string;
  readonly executedAt: Date;
}

/** What a fill took from a lot. */
export interface LotClosure {
  readonly lotId: string;
  /** The trade that opened the lot. */
  readonly tradeId: string;
  /** With what was too little to be sold, where the fill left no more than that. */
  readonly amount: BaseUnits;
  /** What the part cost, or brought, when it was opened. */
  readonly entryValue: QuoteUnits;
  /** The fees of both sides taken off. */
  readonly pnl: QuoteUnits;
  /** Whether the lot is a copy's, and the fill none of its copies'. */
  readonly detaches: boolean;
}

/** The lot that a fill opened. */
export interface OpenedLot {
  readonly lotId: string;
  /** What the fill opened, net of a fee in base. */
  readonly amount: BaseUnits;
  /** What it cost, or brought, with its fee in quote currency. */
  readonly value: QuoteUnits;
  /** The amount before a fee in base was taken off. */
  readonly filled: BaseUnits;
}

export interface FillOutcome {
  /** In the order in which they were taken. */
  readonly lotClosures: readonly LotClosure[];
  readonly opened: OpenedLot | null;
  /** Sold without a lot. */
  readonly unmatched: BaseUnits;
}

export interface HeldLot {
  readonly lotId: string;
  readonly tradeId: string;
  readonly copy: CopySource | undefined;
  /** BUY: bought and not sold yet; SELL: sold and not bought back yet. */
  readonly side: TradeSide;
  readonly amount: BaseUnits;
  /** What it cost, or brought, with its fees in quote currency. */
  readonly value: QuoteUnits;
}

interface MutableLot {
  readonly lotId: string;
  readonly tradeId: string;
  amount: BaseUnits;
  value: QuoteUnits;
  /** Lots of all owners in the order in which they were opened. */
  readonly ordinal: number;
}

/** What is left of a fill while it is given out to lots. */
interface Remainder {
  amount: BaseUnits;
  value: QuoteUnits;
}

/** The lots of one owner, oldest first; all of one side. */
class OpenLots {
  side: TradeSide = 'BUY';
  private holdings: MutableLot[] = [];
  private first = 0;

  constructor(readonly copy: CopySource | undefined) {}

  get oldest(): MutableLot | undefined {
    return this.holdings[this.first];
  }

  get count(): number {
    return this.holdings.length - this.first;
  }

  get lots(): readonly MutableLot[] {
    return this.holdings.slice(this.first);
  }

  put(side: TradeSide, holding: MutableLot): void {
    if (this.oldest === undefined) {
      this.holdings = [];
      this.first = 0;
      this.side = side;
    }
    this.holdings.push(holding);
  }

  dropOldest(): void {
    this.first += 1;
    // Given back in bulk: taking from the front of an array one by one costs its length each time.
    if (this.first > 1_000 && this.first * 2 > this.holdings.length) {
      this.holdings = this.holdings.slice(this.first);
      this.first = 0;
    }
  }
}

/** A shelf of more lots is not added up: each was bought, and dust is what one sale leaves. */
const DUST_LOTS_MAX = 8;

export class LotBook {
  /** What no copier holds. */
  private readonly own = new OpenLots(undefined);
  private readonly copies = new Map<string, OpenLots>();
  private nextOrdinal = 0;
  private instant = Number.NEGATIVE_INFINITY;
  private readonly step: BaseUnits;

  /** @param held - what is open, in the order in which it was opened, to go on from there */
  constructor(
    private readonly terms: LotBookOptions,
    held: readonly HeldLot[] = [],
  ) {
    this.step = parseUnits(terms.amountStep);
    for (const { copy, side, ...lot } of held) this.addLot(copy, side, lot);
  }

  /**
   * Takes the next fill, which was never told before.
   *
   * @throws {RangeError} on a fill that was executed before one that is already in
   */
  apply(fill: LotFill): FillOutcome {
    const instant = fill.executedAt.getTime();
    if (instant < this.instant) throw new RangeError('fills must come in the order of their execution');
    this.instant = instant;
    const rest = this.amountsNetOfFee(fill);
    const parts = this.close(fill, rest);
    const isOpening = fill.side === 'BUY' || this.terms.canBeShort;
    if (!isOpening || rest.amount === 0n) return { lotClosures: parts, opened: null, unmatched: rest.amount };
    return { lotClosures: parts, opened: this.open(fill, rest, parts.length === 0), unmatched: 0n };
  }

  /** In the order in which they were opened. */
  get openLots(): readonly HeldLot[] {
    return [this.own, ...this.copies.values()]
      .flatMap(({ copy, side, lots }) => lots.map((lot) => ({ ...lot, copy, side })))
      .sort((a, b) => a.ordinal - b.ordinal)
      .map(({ ordinal: _place, ...lot }) => lot);
  }

  /** What the fill moves between base and quote, its fee taken off. */
  private amountsNetOfFee({ price, amount, side, feeAmount, feeCurrency }: LotFill): Remainder {
    const filled = parseUnits(amount);
    const value = parseUnits(price) * filled;
    const fee = side === 'BUY' ? parseUnits(feeAmount) : -parseUnits(feeAmount);
    if (feeCurrency === this.terms.quote) return { amount: filled, value: value + fee * QUOTE_PER_PRICE };
    if (feeCurrency !== this.terms.base) return { amount: filled, value };
    const moved = filled - fee;
    // A fee takes no more than what was bought.
    return { amount: moved > 0n ? moved : 0n, value };
  }

  /** Gives `rest` out: to the lots of the fill's owner first, then to what else it takes from, oldest first. */
  private close(fill: LotFill, rest: Remainder): LotClosure[] {
    const parts: LotClosure[] = [];
    while (rest.amount > 0n) {
      const shelf = this.nextLotsToClose(fill);
      if (shelf === undefined) break;
      parts.push(this.closeOldest(shelf, fill, rest));
      if (rest.amount === 0n && this.isDust(shelf))
        return mergeClosures([...parts, ...this.closeDust(shelf, fill)]);
    }
    return parts;
  }

  private isDust(shelf: OpenLots): boolean {
    if (this.terms.canBeShort || shelf.count === 0 || shelf.count > DUST_LOTS_MAX) return false;
    return shelf.lots.reduce((sum, { amount }) => sum + amount, 0n) < this.step;
  }

  private closeDust(shelf: OpenLots, fill: LotFill): LotClosure[] {
    return shelf.lots.map(({ amount }) => this.closeOldest(shelf, fill, { amount, value: 0n }));
  }

  /** The shelf that a fill takes from next; undefined where there is nothing for it. */
  private nextLotsToClose({ side, copy }: LotFill): OpenLots | undefined {
    const holds = (shelf: OpenLots | undefined) => shelf?.oldest !== undefined && shelf.side !== side;
    const first = copy === undefined ? this.own : this.copies.get(copyKey(copy));
    if (holds(first)) return first;
    let next: OpenLots | undefined;
    for (const shelf of this.copies.values()) {
      if (!holds(shelf) || (copy !== undefined && copy.copierId !== shelf.copy?.copierId)) continue;
      if (next === undefined || shelf.oldest!.ordinal < next.oldest!.ordinal) next = shelf;
    }
    return next;
  }

  private closeOldest(shelf: OpenLots, { side, copy }: LotFill, rest: Remainder): LotClosure {
    const lot = shelf.oldest!;
    const amount = lesser(lot.amount, rest.amount);
    const entryValue = takeProRata(lot, amount);
    const exitValue = takeProRata(rest, amount);
    const pnl = side === 'SELL' ? exitValue - entryValue : entryValue - exitValue;
    if (lot.amount === 0n) this.dropOldest(shelf);
    const detaches =
      shelf.copy !== undefined && (copy === undefined || copyKey(shelf.copy) !== copyKey(copy));
    return { lotId: lot.lotId, tradeId: lot.tradeId, amount, entryValue, pnl, detaches };
  }

  private dropOldest(shelf: OpenLots): void {
    shelf.dropOldest();
    if (shelf.copy !== undefined && shelf.oldest === undefined) this.copies.delete(copyKey(shelf.copy));
  }

  private open(fill: LotFill, { amount, value }: Remainder, isWhole: boolean): OpenedLot {
    const { id: lotId, tradeId, copy, side } = fill;
    this.addLot(copy, side, { lotId, tradeId, amount, value });
    return { lotId, amount, value, filled: isWhole ? parseUnits(fill.amount) : amount };
  }

  private addLot(copy: CopySource | undefined, side: TradeSide, lot: Omit<MutableLot, 'ordinal'>): void {
    const { lotId, tradeId, amount, value } = lot;
    this.openLotsOf(copy).put(side, { lotId, tradeId, amount, value, ordinal: this.nextOrdinal++ });
  }

  private openLotsOf(copy: CopySource | undefined): OpenLots {
    if (copy === undefined) return this.own;
    let shelf = this.copies.get(copyKey(copy));
    if (shelf === undefined) {
      shelf = new OpenLots(copy);
      this.copies.set(copyKey(copy), shelf);
    }
    return shelf;
  }
}

/** One part for each lot: what is sold of it, and the dust that is left. */
function mergeClosures(parts: readonly LotClosure[]): LotClosure[] {
  const all: LotClosure[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last?.lotId !== part.lotId) all.push(part);
    else all[all.length - 1] = sumOf(last, part);
  }
  return all;
}

function sumOf(sold: LotClosure, dust: LotClosure): LotClosure {
  return {
    ...sold,
    amount: sold.amount + dust.amount,
    entryValue: sold.entryValue + dust.entryValue,
    pnl: sold.pnl + dust.pnl,
  };
}

/** Takes `amount` out of `from` with its share of the value; the last part takes all that is left. */
function takeProRata(from: Remainder, amount: BaseUnits): QuoteUnits {
  const value = amount === from.amount ? from.value : (from.value * amount) / from.amount;
  from.amount -= amount;
  from.value -= value;
  return value;
}

const copyKey = ({ copierId, lotTradeId }: CopySource) => `${copierId}/${lotTradeId}`;

/** `Math.min` knows no bigints. */
function lesser(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

/** A decimal of at most `scale` decimals in units of 10^-scale. */
export function parseUnits(text: Decimal, scale = BASE_SCALE): bigint {
  const point = text.indexOf('.');
  if (point < 0) return BigInt(text) * 10n ** BigInt(scale);
  return BigInt(text.slice(0, point) + text.slice(point + 1).padEnd(scale, '0'));
}

/** Units of 10^-scale as a decimal. */
export function formatUnits(units: bigint, scale = BASE_SCALE): Decimal {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const fraction = digits.slice(-scale).replace(/0+$/, '');
  const plain = digits.slice(0, -scale) + (fraction === '' ? '' : `.${fraction}`);
  return units < 0n ? `-${plain}` : plain;
}
