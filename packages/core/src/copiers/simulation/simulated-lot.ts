import type { Decimal, TradeSide } from '@trading-automation/contracts';
import { BigDecimal } from '../../values/index.js';

/** An entry order of a lot. Values are in quote currency. */
export interface SimulatedEntry {
  /** The amount net of a fee in base currency. */
  readonly held: BigDecimal;
  /** The cost, or for a short lot the proceeds, with a fee in quote currency. */
  readonly cost: BigDecimal;
  /** The amount before a fee in base currency. */
  readonly amount: BigDecimal;
  readonly price: Decimal;
}

export interface SimulatedExit {
  readonly amount: BigDecimal;
  readonly price: Decimal;
  /** The proceeds, or for a short lot the cost, with the fee. */
  readonly value: BigDecimal;
  /** A remainder below this step is removed, without a value. 0 keeps every remainder. */
  readonly amountStep: Decimal;
}

/** The closed part of a lot. Results are in quote currency. */
interface ClosedPart {
  /** Before fees in base currency. */
  readonly amount: BigDecimal;
  /** What it cost, or for a short lot brought, before fees. */
  readonly entryValue: BigDecimal;
  /** The result before fees, and net of fees. */
  readonly gross: BigDecimal;
  readonly pnl: BigDecimal;
}

/** The open remainder of one entry order. */
interface OpenEntry {
  held: BigDecimal;
  cost: BigDecimal;
  amount: BigDecimal;
  readonly price: Decimal;
}

const ZERO = new BigDecimal(0);
const NOTHING_CLOSED: ClosedPart = { amount: ZERO, entryValue: ZERO, gross: ZERO, pnl: ZERO };
const QUOTE_DECIMALS = 36;

/** The copier's share of one lot of the leader. A lot whose entries sell is short. */
export class SimulatedLot {
  /** The open amount; never below 0. */
  held = ZERO;
  /** The sum of the open entries' costs. */
  cost = ZERO;
  /** What was entered in total: the amount before fees, and its value. */
  enteredAmount = ZERO;
  enteredValue = ZERO;
  closed = NOTHING_CLOSED;
  /** Oldest first: entries are closed in this order. */
  private readonly entries: OpenEntry[] = [];

  constructor(private readonly side: TradeSide) {}

  /** The open amount; below 0 if the lot is short. */
  get net(): BigDecimal {
    return this.signed(this.held);
  }

  enter({ held, cost, amount, price }: SimulatedEntry): void {
    this.entries.push({ held, cost, amount, price });
    this.held = this.held.plus(held);
    this.cost = this.cost.plus(cost);
    this.enteredAmount = this.enteredAmount.plus(amount);
    this.enteredValue = this.enteredValue.plus(amount.times(price));
  }

  exit({ amount, price, value, amountStep }: SimulatedExit): void {
    this.closed = addParts(this.closed, { ...NOTHING_CLOSED, pnl: this.signed(value) });
    this.remove(amount, price);
    if (this.held.lt(amountStep)) this.remove(this.held, price);
  }

  /** Closes an amount of the oldest entries, and adds it to the closed part with the cost as its net result. */
  private remove(amount: BigDecimal, price: Decimal): void {
    let remaining = BigDecimal.min(amount, this.held);
    while (remaining.gt(0)) {
      const entry = this.entries[0]!;
      const part = takeFrom(entry, BigDecimal.min(remaining, entry.held));
      this.held = this.held.minus(part.held);
      this.cost = this.cost.minus(part.cost);
      remaining = remaining.minus(part.held);
      if (entry.held.isZero()) this.entries.shift();
      this.closed = addParts(this.closed, {
        amount: part.amount,
        entryValue: part.amount.times(entry.price),
        gross: this.signed(part.amount.times(new BigDecimal(price).minus(entry.price))),
        pnl: this.signed(part.cost.negated()),
      });
    }
  }

  private signed(value: BigDecimal): BigDecimal {
    return this.side === 'BUY' ? value : value.negated();
  }
}

/** Removes an amount from the entry and returns its shares; the last part takes all that remains. */
function takeFrom(entry: OpenEntry, held: BigDecimal): Omit<SimulatedEntry, 'price'> {
  const shareOf = (whole: BigDecimal) =>
    held.eq(entry.held) ? whole : whole.times(held).div(entry.held).toDecimalPlaces(QUOTE_DECIMALS);
  const part = { held, cost: shareOf(entry.cost), amount: shareOf(entry.amount) };
  entry.held = entry.held.minus(held);
  entry.cost = entry.cost.minus(part.cost);
  entry.amount = entry.amount.minus(part.amount);
  return part;
}

const addParts = (a: ClosedPart, b: ClosedPart): ClosedPart => ({
  amount: a.amount.plus(b.amount),
  entryValue: a.entryValue.plus(b.entryValue),
  gross: a.gross.plus(b.gross),
  pnl: a.pnl.plus(b.pnl),
});
