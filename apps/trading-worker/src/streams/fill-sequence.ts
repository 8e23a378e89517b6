import type { VenueFill, VenueOrder } from '@trading-automation/exchanges';

/** The number of orders of one connection whose filled amounts are kept. */
const KEPT_MAX = 256;

/**
 * Finds gaps in the reports of one connection: an order whose filled amount grew by more than the fills that the
 * reports contain. Repeated and late reports are no gaps. Amounts are compared exactly, as integers.
 */
export class FillSequence {
  /** The filled amount of each order, by the exchange's id, in units of 10^-18. */
  private readonly filled = new Map<string, bigint>();

  /** Adds a report; returns false if a report before it is missing. */
  add({ exchangeOrderId, symbol, filledAmount }: VenueOrder, fills: readonly VenueFill[]): boolean {
    const key = `${symbol} ${exchangeOrderId}`;
    const total = unitsOf(filledAmount);
    const before = this.filled.get(key);
    if (before !== undefined && total <= before) return true;
    this.filled.delete(key);
    this.filled.set(key, total);
    const [oldest] = this.filled.keys();
    if (this.filled.size > KEPT_MAX && oldest !== undefined) this.filled.delete(oldest);
    // What the first report of an order lacks was before the connection, and the reconciliation reads it.
    if (before === undefined) return true;
    const reported = fills.reduce((sum, { amount }) => sum + unitsOf(amount), 0n);
    return total <= before + reported;
  }
}

const DECIMALS = 18;

function unitsOf(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(DECIMALS, '0').slice(0, DECIMALS));
}
