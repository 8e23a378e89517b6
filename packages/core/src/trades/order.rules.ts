/**
 * The exchange's rules for an order, checked before the order is sent.
 *
 * 1. Nothing is rounded: an order that breaks a rule is rejected with the rule, the value and the limit.
 * 2. The notional of a market order is estimated from the last known price. Without a last price it is not checked:
 *    the exchange decides.
 * 3. The minimum notional does not apply to reduce-only orders: a position whose value has fallen below it can be closed.
 */
import {
  DECIMAL_INTEGER_DIGITS,
  DECIMAL_SCALE,
  type Decimal,
  type TimeInForce,
  type TradeSide,
  type TradeType,
} from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

export interface PairRules {
  readonly base: string;
  readonly quote: string;
  readonly priceTick: Decimal;
  readonly amountStep: Decimal;
  readonly minAmount: Decimal;
  readonly maxAmount: Decimal | null;
  readonly minNotional: Decimal;
  readonly maxNotional: Decimal | null;
  /** Limits that apply only to market and stop-market orders; null if the pair has no separate limits for them. */
  readonly marketAmountStep: Decimal | null;
  readonly marketMaxAmount: Decimal | null;
  readonly orderTypes: readonly TradeType[];
  readonly timeInForces: readonly TimeInForce[];
  readonly lastPrice: Decimal | null;
}

export interface OrderToCheck {
  readonly type: TradeType;
  readonly side: TradeSide;
  readonly timeInForce: TimeInForce;
  readonly amount: Decimal;
  readonly price?: Decimal | undefined;
  readonly stopPrice?: Decimal | undefined;
  readonly reduceOnly?: boolean | undefined;
}

type OrderRule =
  | 'order_types'
  | 'time_in_forces'
  | 'price_tick'
  | 'amount_step'
  | 'min_amount'
  | 'max_amount'
  | 'market_amount_step'
  | 'market_max_amount'
  | 'min_notional'
  | 'max_notional';

export interface RuleViolation {
  readonly field: 'type' | 'time_in_force' | 'amount' | 'price' | 'stop_price';
  /** The name of the trade pair's field that holds the limit. */
  readonly rule: OrderRule;
  /** Decimal strings for numbers; the API's enum values otherwise. */
  readonly value: string;
  readonly limit: string;
}

/** Returns one violation for each rule that the order breaks. */
export function violationsOf(order: OrderToCheck, rules: PairRules): RuleViolation[] {
  const violations: RuleViolation[] = unsupportedTerms(order, rules);
  const check = (
    isBroken: boolean,
    field: RuleViolation['field'],
    rule: OrderRule,
    value: BigDecimal,
    limit: Decimal,
  ) => {
    if (isBroken)
      violations.push({ field, rule, value: value.toString(), limit: new BigDecimal(limit).toString() });
  };
  const amount = new BigDecimal(order.amount);
  check(!isMultiple(amount, rules.amountStep), 'amount', 'amount_step', amount, rules.amountStep);
  check(amount.lt(rules.minAmount), 'amount', 'min_amount', amount, rules.minAmount);
  if (rules.maxAmount !== null)
    check(amount.gt(rules.maxAmount), 'amount', 'max_amount', amount, rules.maxAmount);
  const { marketAmountStep, marketMaxAmount } = rules;
  if (isMarketOrder(order) && marketAmountStep !== null)
    check(!isMultiple(amount, marketAmountStep), 'amount', 'market_amount_step', amount, marketAmountStep);
  if (isMarketOrder(order) && marketMaxAmount !== null)
    check(amount.gt(marketMaxAmount), 'amount', 'market_max_amount', amount, marketMaxAmount);
  for (const [field, decimal] of [
    ['price', order.price],
    ['stop_price', order.stopPrice],
  ] as const) {
    if (decimal === undefined) continue;
    const price = new BigDecimal(decimal);
    check(!isMultiple(price, rules.priceTick), field, 'price_tick', price, rules.priceTick);
  }
  const price = estimatedPrice(order, rules);
  if (price === null) return violations;
  const notional = price.times(amount);
  if (order.reduceOnly !== true)
    check(notional.lt(rules.minNotional), 'amount', 'min_notional', notional, rules.minNotional);
  if (rules.maxNotional !== null)
    check(notional.gt(rules.maxNotional), 'amount', 'max_notional', notional, rules.maxNotional);
  return violations;
}

const isMarketOrder = ({ type }: OrderToCheck) => type === 'MARKET' || type === 'STOP_MARKET';

function unsupportedTerms({ type, timeInForce }: OrderToCheck, rules: PairRules): RuleViolation[] {
  const violations: RuleViolation[] = [];
  if (!rules.orderTypes.includes(type))
    violations.push({ field: 'type', rule: 'order_types', value: type, limit: rules.orderTypes.join(', ') });
  // A market order has no time in force at the exchange.
  if (type !== 'MARKET' && !rules.timeInForces.includes(timeInForce))
    violations.push({
      field: 'time_in_force',
      rule: 'time_in_forces',
      value: timeInForce,
      limit: rules.timeInForces.join(', '),
    });
  return violations;
}

export interface Reservation {
  readonly asset: string;
  readonly amount: Decimal;
}

/**
 * Returns the reservation of the order: its amount in base for a sell, price × amount in quote for a buy. A buy with
 * neither a limit price, a stop price nor a last price reserves 0.
 */
export function reservationFor(order: OrderToCheck, rules: PairRules): Reservation {
  if (order.side === 'SELL') return { asset: rules.base, amount: order.amount };
  const price = estimatedPrice(order, rules);
  if (price === null) return { asset: rules.quote, amount: '0' };
  return { asset: rules.quote, amount: reservedCost(price, order).toString() };
}

/** Fee rate of a pair whose exchange publishes none. Higher than the taker fees of all supported exchanges. */
const UNKNOWN_TAKER_FEE = '0.002';

export interface PerpetualRules extends PairRules {
  readonly settle: string | null;
  readonly takerFee: Decimal | null;
}

/**
 * Returns the reservation of an order on a perpetual, in its settlement currency: the initial margin of what the order may
 * open, and the taker fee of that. An order that opens nothing reserves nothing, because an exit must not lack a balance.
 *
 * @param openingAmount the part of the amount that may open or increase a position
 * @param leverage null if it is unknown; then only the fee is reserved, and the exchange decides about the margin
 */
export function marginReservation(
  order: OrderToCheck,
  rules: PerpetualRules,
  { openingAmount, leverage }: { readonly openingAmount: Decimal; readonly leverage: Decimal | null },
): Reservation {
  const asset = rules.settle ?? rules.quote;
  const estimate = estimatedPrice(order, rules);
  if (estimate === null) return { asset, amount: '0' };
  // Exchanges value a sale at the market price if its limit price is lower.
  const price = order.side === 'SELL' ? BigDecimal.max(estimate, rules.lastPrice ?? 0) : estimate;
  const notional = price.times(openingAmount);
  const fee = notional.times(rules.takerFee ?? UNKNOWN_TAKER_FEE);
  const margin = leverage === null ? fee : notional.div(leverage).plus(fee);
  return { asset, amount: margin.toDecimalPlaces(DECIMAL_SCALE, BigDecimal.ROUND_UP).toString() };
}

/** Returns whether price × amount has more digits before the decimal point than the database can store. */
export function isCostTooLarge(order: OrderToCheck, rules: PairRules): boolean {
  const price = estimatedPrice(order, rules);
  return price !== null && reservedCost(price, order).gte(COST_LIMIT);
}

const COST_LIMIT = new BigDecimal(10).pow(DECIMAL_INTEGER_DIGITS);

/** Returns price × amount, rounded up to `DECIMAL_SCALE` decimals so that the reservation is never too small. */
function reservedCost(price: BigDecimal, { amount }: OrderToCheck): BigDecimal {
  return price.times(amount).toDecimalPlaces(DECIMAL_SCALE, BigDecimal.ROUND_UP);
}

function estimatedPrice({ price, stopPrice }: OrderToCheck, { lastPrice }: PairRules): BigDecimal | null {
  const estimate = price ?? stopPrice ?? lastPrice;
  return estimate === null ? null : new BigDecimal(estimate);
}

function isMultiple(value: BigDecimal, step: Decimal): boolean {
  return new BigDecimal(step).isZero() || value.mod(step).isZero();
}
