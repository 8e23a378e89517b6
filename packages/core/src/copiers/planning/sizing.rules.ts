/** Calculates the ratio, the limit price and the bounds of a copy. Only the rules of this folder may import this file. */
import type { Decimal, DecisionCode, TradeSide } from '@trading-automation/contracts';
import { coarse } from '../../values/index.js';
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
  reduce,
  roundDown,
  times,
  ZERO,
} from './fraction.rules.js';
import type { CopiedLotState, CopyInput, CopyPair, CopyTerms } from './plan.types.js';

/** The slippage bound of a copier without `max_slippage_bps`. */
export const DEFAULT_SLIPPAGE_BPS = 50;
const BPS = 10_000n;

/**
 * Returns how many base units are copied for one base unit of the leader. Returns null if the ratio needs an equity
 * that is unknown, or if the leader's equity is not positive.
 */
export function ratioOf(
  { signal, account }: Pick<CopyInput, 'signal' | 'account'>,
  { sizing }: CopyTerms,
): Fraction | null {
  const value = fractionOf(sizing.value);
  if (sizing.mode === 'MULTIPLIER') return reduce(value);
  if (sizing.mode === 'EQUITY_RATIO') {
    const copierEquity = sizing.capital ?? account.equity;
    const { leaderEquity } = signal;
    if (copierEquity === null || leaderEquity === null || !isAboveZero(fractionOf(leaderEquity))) return null;
    return reduce(
      dividedBy(times(value, greaterOf(fractionOf(copierEquity), ZERO)), fractionOf(leaderEquity)),
    );
  }
  const leaderAmount = greaterOf(fractionOf(signal.leaderOrderAmount), fractionOf(signal.cumulativeAmount));
  if (sizing.mode === 'FIXED_AMOUNT') return reduce(dividedBy(value, leaderAmount));
  return reduce(dividedBy(value, times(leaderAmount, fractionOf(signal.referencePrice))));
}

/**
 * Returns the ratio as users other than the strategy's owner may see it, if `ratioOf` is not null. The leader's equity
 * and amounts are rounded to two significant digits before the ratio is computed from them. If only the ratio were
 * rounded, a user who varies the sizing could find where it changes, and compute the leader's equity to any number of
 * digits.
 */
export function maskedRatioOf({ signal, account }: CopyInput, terms: CopyTerms): Decimal {
  const { leaderEquity, leaderOrderAmount, cumulativeAmount } = signal;
  const rounded = {
    ...signal,
    leaderEquity: leaderEquity === null ? null : coarse(leaderEquity),
    leaderOrderAmount: coarse(leaderOrderAmount),
    cumulativeAmount: coarse(cumulativeAmount),
  };
  // The ratio is known, because the exact one is: rounding leaves a positive value positive.
  return coarse(roundDown(ratioOf({ signal: rounded, account }, terms)!));
}

/**
 * Returns the worst price at which an entry may be filled: the leader's price plus or minus the slippage bound, rounded
 * towards the leader's price. Returns null if no price tick above zero remains.
 */
export function limitPriceOf(
  side: TradeSide,
  reference: Decimal,
  { maxSlippageBps }: CopyTerms,
  { priceTick }: CopyPair,
): Decimal | null {
  const bps = BigInt(maxSlippageBps ?? DEFAULT_SLIPPAGE_BPS);
  const factor = { numerator: side === 'BUY' ? BPS + bps : BPS - bps, denominator: BPS };
  const bound = times(fractionOf(reference), factor);
  const price = side === 'BUY' ? floorTo(bound, priceTick) : ceilTo(bound, priceTick);
  return isAboveZero(fractionOf(price)) ? price : null;
}

/** An upper bound on the amount of one order. */
export interface Cap {
  readonly code: DecisionCode;
  readonly rule: 'max_trade_quote' | 'max_open_quote' | 'max_leverage' | 'max_amount' | 'max_notional';
  /** The limit as the user or the exchange set it. */
  readonly limit: Decimal;
  /** The amount that the limit still permits; never below zero. */
  readonly amount: Fraction;
}

interface CapInputs {
  readonly input: CopyInput;
  readonly terms: CopyTerms;
  readonly pair: CopyPair;
}

/** Returns the caps on the amount of an entry at its limit price. The copier's own caps come first. */
export function entryCaps({ input, terms, pair }: CapInputs, sentQuote: Decimal, price: Fraction): Cap[] {
  const { copier } = input;
  const quoteCap = (code: DecisionCode, rule: Cap['rule'], limit: Decimal | null, used: Decimal): Cap[] => {
    if (limit === null) return [];
    const left = greaterOf(minus(fractionOf(limit), fractionOf(used)), ZERO);
    return [{ code, rule, limit, amount: dividedBy(left, price) }];
  };
  const { maxAmount } = pair;
  return [
    ...quoteCap('MAX_TRADE', 'max_trade_quote', terms.maxTradeQuote, sentQuote),
    ...quoteCap('MAX_OPEN', 'max_open_quote', terms.maxOpenQuote, copier.openQuote),
    ...leverageCap(input, terms),
    ...(maxAmount === null
      ? []
      : [
          { code: 'MAX_TRADE', rule: 'max_amount', limit: maxAmount, amount: fractionOf(maxAmount) } as const,
        ]),
    ...quoteCap('MAX_TRADE', 'max_notional', pair.maxNotional, '0'),
  ];
}

/**
 * Returns the cap of `max_leverage`: after the entry, the notionals of all positions may be at most this many times the
 * equity. An entry against the net position first reduces it. Notionals are those at mark price. The mark price of a pair
 * without a position is not known; the middle of the order book is the newest price that a single fill does not move.
 */
function leverageCap({ signal, account, bookMid }: CopyInput, { maxLeverage }: CopyTerms): Cap[] {
  const { perpetual, equity } = account;
  if (maxLeverage == null || perpetual === undefined) return [];
  const known = perpetual.markPrice ?? (bookMid === 'PAST' ? null : bookMid);
  const price = fractionOf(known ?? signal.referencePrice);
  const allowed = times(fractionOf(maxLeverage), fractionOf(equity ?? '0'));
  const position = fractionOf(perpetual.netPosition);
  const isLong = isAboveZero(position);
  const held = isLong ? position : minus(ZERO, position);
  const isAgainst = signal.side === (isLong ? 'SELL' : 'BUY');
  const freed = isAgainst ? times(plus(held, held), price) : ZERO;
  const left = greaterOf(minus(plus(allowed, freed), fractionOf(perpetual.notional)), ZERO);
  return [{ code: 'MAX_LEVERAGE', rule: 'max_leverage', limit: maxLeverage, amount: dividedBy(left, price) }];
}

/** Returns the tightest cap below the amount, or null. Of equal caps, returns the first. */
export function tightestBelow(caps: readonly Cap[], amount: Fraction): Cap | null {
  let tightest: Cap | null = null;
  for (const cap of caps) {
    if (isLess(cap.amount, tightest?.amount ?? amount)) tightest = cap;
  }
  return tightest;
}

/** Returns the exchange minimum that an amount violates, with both numbers; null if the amount can be traded. */
export function findMinimumViolation(amount: Decimal, price: Fraction, pair: CopyPair) {
  const size = fractionOf(amount);
  if (!isAboveZero(size) || isLess(size, fractionOf(pair.minAmount))) {
    return { rule: 'min_amount', value: amount, limit: pair.minAmount };
  }
  const notional = times(size, price);
  if (!isLess(notional, fractionOf(pair.minNotional))) return null;
  return { rule: 'min_notional', value: floorTo(notional, '0'), limit: pair.minNotional };
}

/** Returns the least amount that the exchange accepts at this price. */
export function minTradableAmount(price: Fraction, pair: CopyPair, step: Decimal): Decimal {
  const least = greaterOf(fractionOf(pair.minAmount), dividedBy(fractionOf(pair.minNotional), price));
  const rounded = ceilTo(least, step);
  return isAboveZero(fractionOf(rounded))
    ? rounded
    : ceilTo({ numerator: 1n, denominator: 10n ** 18n }, step);
}

/** Returns the amount step of market orders. Exits are market orders. */
export function marketStepOf({ marketAmountStep, amountStep }: CopyPair): Decimal {
  return marketAmountStep !== null && isAboveZero(fractionOf(marketAmountStep))
    ? marketAmountStep
    : amountStep;
}

/** Returns the largest amount that one market order may sell; null if unbounded. */
export function marketCap(price: Fraction, pair: CopyPair): Fraction | null {
  const bounds = [
    ...(pair.marketMaxAmount ? [fractionOf(pair.marketMaxAmount)] : []),
    ...(pair.maxAmount === null ? [] : [fractionOf(pair.maxAmount)]),
    ...(pair.maxNotional === null ? [] : [dividedBy(fractionOf(pair.maxNotional), price)]),
  ].filter(isAboveZero);
  return bounds.reduce<Fraction | null>((least, one) => (least && isLess(least, one) ? least : one), null);
}

/** Returns the ratio × the leader's cumulative amount, less the sent and forgone amounts; never below zero. */
export function dueOf(
  ratio: Fraction,
  cumulative: Fraction,
  { sentAmount, forgoneAmount }: Pick<CopiedLotState, 'sentAmount' | 'forgoneAmount'>,
): Fraction {
  const due = minus(minus(times(ratio, cumulative), fractionOf(sentAmount)), fractionOf(forgoneAmount));
  return greaterOf(due, ZERO);
}
