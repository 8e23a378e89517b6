/**
 * The sums that sizes of copies are made of. What they come to together is decided in plan.rules.ts, and nowhere
 * else: no other file may import this one.
 */
import type { Decimal, DecisionCode, TradeSide } from '@trading-automation/contracts';
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
  reduce,
  times,
  ZERO,
} from './fraction.rules.js';
import type { CopiedLotState, CopyInput, CopyPair, CopyTerms } from './plan.types.js';

/** Of `max_slippage_bps`, where a copier has none. */
const SLIPPAGE_DEFAULT_BPS = 50;
const BPS = 10_000n;

/** Base units of the copy for one of the leader's; null where an equity that it needs is not known, or is none. */
export function ratioOf({ signal, account }: CopyInput, { sizing }: CopyTerms): Fraction | null {
  const value = fractionOf(sizing.value);
  if (sizing.mode === 'MULTIPLIER') return reduce(value);
  if (sizing.mode === 'EQUITY_RATIO') {
    const own = sizing.capital ?? account.equity;
    const { leaderEquity } = signal;
    if (own === null || leaderEquity === null || !isAboveZero(fractionOf(leaderEquity))) return null;
    return reduce(dividedBy(times(value, greaterOf(fractionOf(own), ZERO)), fractionOf(leaderEquity)));
  }
  const order = greaterOf(fractionOf(signal.leaderOrderAmount), fractionOf(signal.cumulativeAmount));
  if (sizing.mode === 'FIXED_AMOUNT') return reduce(dividedBy(value, order));
  return reduce(dividedBy(value, times(order, fractionOf(signal.referencePrice))));
}

/**
 * The worst price that an entry may be filled at: within the slippage bound of the leader's price, rounded towards
 * it. Null where no tick above zero lies there.
 */
export function limitPriceOf(
  side: TradeSide,
  reference: Decimal,
  { maxSlippageBps }: CopyTerms,
  { priceTick }: CopyPair,
): Decimal | null {
  const bps = BigInt(maxSlippageBps ?? SLIPPAGE_DEFAULT_BPS);
  const share = { numerator: side === 'BUY' ? BPS + bps : BPS - bps, denominator: BPS };
  const bound = times(fractionOf(reference), share);
  const price = side === 'BUY' ? floorTo(bound, priceTick) : ceilTo(bound, priceTick);
  return isAboveZero(fractionOf(price)) ? price : null;
}

/** A bound on the amount of one order. */
export interface Cap {
  readonly code: DecisionCode;
  readonly rule: 'max_trade_quote' | 'max_open_quote' | 'max_amount' | 'max_notional';
  /** As it was set. */
  readonly limit: Decimal;
  /** What it leaves room for, never below zero. */
  readonly amount: Fraction;
}

/** What bounds the amount of an entry at its limit price; those of the copier come first. */
export function entryCaps(
  { copier, terms, pair }: { copier: CopyInput['copier']; terms: CopyTerms; pair: CopyPair },
  sentQuote: Decimal,
  price: Fraction,
): Cap[] {
  const ofQuote = (code: DecisionCode, rule: Cap['rule'], limit: Decimal | null, used: Decimal): Cap[] => {
    if (limit === null) return [];
    const room = greaterOf(minus(fractionOf(limit), fractionOf(used)), ZERO);
    return [{ code, rule, limit, amount: dividedBy(room, price) }];
  };
  const { maxAmount } = pair;
  return [
    ...ofQuote('MAX_TRADE', 'max_trade_quote', terms.maxTradeQuote, sentQuote),
    ...ofQuote('MAX_OPEN', 'max_open_quote', terms.maxOpenQuote, copier.openQuote),
    ...(maxAmount === null
      ? []
      : [
          { code: 'MAX_TRADE', rule: 'max_amount', limit: maxAmount, amount: fractionOf(maxAmount) } as const,
        ]),
    ...ofQuote('MAX_TRADE', 'max_notional', pair.maxNotional, '0'),
  ];
}

/** The tightest of the bounds that lie below the amount; the first of equals. */
export function tightestBelow(caps: readonly Cap[], amount: Fraction): Cap | null {
  let tightest: Cap | null = null;
  for (const cap of caps) {
    if (isLess(cap.amount, tightest?.amount ?? amount)) tightest = cap;
  }
  return tightest;
}

/** Which minimum of the exchange a rounded amount falls short of, with the numbers; null where it can be traded. */
export function findMinimumViolation(amount: Decimal, price: Fraction, pair: CopyPair) {
  const size = fractionOf(amount);
  if (!isAboveZero(size) || isLess(size, fractionOf(pair.minAmount))) {
    return { rule: 'min_amount', value: amount, limit: pair.minAmount };
  }
  const notional = times(size, price);
  if (!isLess(notional, fractionOf(pair.minNotional))) return null;
  return { rule: 'min_notional', value: floorTo(notional, '0'), limit: pair.minNotional };
}

/** The least amount that the exchange takes at this price. */
export function minTradableAmount(price: Fraction, pair: CopyPair, step: Decimal): Decimal {
  const least = greaterOf(fractionOf(pair.minAmount), dividedBy(fractionOf(pair.minNotional), price));
  const rounded = ceilTo(least, step);
  return isAboveZero(fractionOf(rounded))
    ? rounded
    : ceilTo({ numerator: 1n, denominator: 10n ** 18n }, step);
}

/** The step of market orders, which exits are. */
export function marketStepOf({ marketAmountStep, amountStep }: CopyPair): Decimal {
  return marketAmountStep !== null && isAboveZero(fractionOf(marketAmountStep))
    ? marketAmountStep
    : amountStep;
}

/** Most that one market order may sell; null where there is no bound. */
export function marketCap(price: Fraction, pair: CopyPair): Fraction | null {
  const bounds = [
    ...(pair.marketMaxAmount ? [fractionOf(pair.marketMaxAmount)] : []),
    ...(pair.maxAmount === null ? [] : [fractionOf(pair.maxAmount)]),
    ...(pair.maxNotional === null ? [] : [dividedBy(fractionOf(pair.maxNotional), price)]),
  ].filter(isAboveZero);
  return bounds.reduce<Fraction | null>((least, one) => (least && isLess(least, one) ? least : one), null);
}

/** What the leader's fills so far ask of the copier and was neither sent nor given up; never below zero. */
export function dueOf(
  ratio: Fraction,
  cumulative: Fraction,
  { sentAmount, forgoneAmount }: Pick<CopiedLotState, 'sentAmount' | 'forgoneAmount'>,
): Fraction {
  const open = minus(minus(times(ratio, cumulative), fractionOf(sentAmount)), fractionOf(forgoneAmount));
  return greaterOf(open, ZERO);
}
