/**
 * Decides whether an entry can be sold again. An entry at the exchange's minimum often cannot: the fee reduces the
 * bought amount, and a small fall of the price reduces its value.
 *
 * 1. The fee is assumed to be deducted from the bought amount, at the pair's taker rate. Exchanges also charge it in
 *    quote currency or in a third asset, but may change that at any time, for example when the third asset is used up.
 *    The assumption is then too high by the fee, never too low. Perpetuals charge it in the settlement currency.
 * 2. The value of what remains must exceed the minimum notional by 5 %, at the reference price, so that a price that
 *    falls by less than that does not delay the exit.
 */
import type { Decimal, TradeSide } from '@trading-automation/contracts';
import {
  ceilTo,
  dividedBy,
  type Fraction,
  floorTo,
  fractionOf,
  greaterOf,
  isAboveZero,
  isLess,
  minus,
  plus,
  times,
  ZERO,
} from './fraction.rules.js';
import type { CopyPair } from './plan.types.js';
import { marketStepOf, minTradableAmount } from './sizing.rules.js';

/** Taker fee of a pair whose exchange publishes none, as a share. Higher than the fees of all supported exchanges. */
export const UNKNOWN_TAKER_FEE = '0.01';
const ONE: Fraction = { numerator: 1n, denominator: 1n };
const NOTIONAL_MARGIN: Fraction = { numerator: 105n, denominator: 100n };

export interface Resale {
  readonly side: TradeSide;
  readonly referencePrice: Decimal;
  /** What the copier already holds of the lot. It is sold together with the entry. */
  readonly heldAmount: Decimal;
  readonly pair: CopyPair;
}

/** Returns the rule that prevents a sale of the lot after this entry, with both numbers; null if it can be sold. */
export function findResaleViolation(amount: Decimal, resale: Resale) {
  const { pair, referencePrice, heldAmount } = resale;
  const total = plus(fractionOf(heldAmount), times(fractionOf(amount), keptShare(resale)));
  const sold = floorTo(total, marketStepOf(pair));
  const size = fractionOf(sold);
  if (!isAboveZero(size) || isLess(size, fractionOf(pair.minAmount))) {
    return { rule: 'sellable_amount', value: sold, limit: pair.minAmount };
  }
  const minimum = times(fractionOf(pair.minNotional), NOTIONAL_MARGIN);
  const notional = times(size, fractionOf(referencePrice));
  if (!isLess(notional, minimum)) return null;
  return { rule: 'sellable_notional', value: floorTo(notional, '0'), limit: ceilTo(minimum, '0') };
}

/** Returns the least amount of an entry at `price` that the exchange accepts and that can be sold again. */
export function minEntryAmount(price: Fraction, resale: Resale): Decimal {
  const { pair, referencePrice, heldAmount } = resale;
  const minimum = times(fractionOf(pair.minNotional), NOTIONAL_MARGIN);
  const withMargin = { ...pair, minNotional: ceilTo(minimum, '0') };
  const sold = minTradableAmount(fractionOf(referencePrice), withMargin, marketStepOf(pair));
  const missing = greaterOf(minus(fractionOf(sold), fractionOf(heldAmount)), ZERO);
  const sellable = dividedBy(missing, keptShare(resale));
  const tradable = fractionOf(minTradableAmount(price, pair, pair.amountStep));
  return ceilTo(greaterOf(sellable, tradable), pair.amountStep);
}

/** Returns the share of a bought amount that remains after the highest fee; 1 for a sale and on perpetuals. */
function keptShare({ side, pair: { takerFee, tradingType } }: Resale): Fraction {
  if (side === 'SELL' || tradingType === 'perpetual') return ONE;
  const fee = fractionOf(takerFee ?? UNKNOWN_TAKER_FEE);
  return isLess(fee, ONE) ? minus(ONE, greaterOf(fee, ZERO)) : ONE;
}
