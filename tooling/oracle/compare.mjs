import { exact, ZERO } from './fraction.mjs';

/**
 * Compares decisions, orders and figures of the product with those of the oracle. Each function returns the differences.
 *
 * @typedef {import('./fraction.mjs').Fraction} Fraction
 * @typedef {{ field: string, product: unknown, oracle: unknown }} Difference
 */

/** Figures have at most 18 decimals, and quotients are rounded once or twice before. */
const TOLERANCE = exact('0.000000000001');
/** The reference rounds ratios to 8 decimals, and durations to a millisecond. */
const COARSE = new Map([
  ['win_rate', exact('0.00000001')],
  ['profit_factor', exact('0.00000001')],
  ['expectancy_ratio', exact('0.00000001')],
  ['average_holding_seconds', exact('0.001')],
  ['slippage_bps', exact('0.0001')],
  ['roi', exact('0.00000001')],
  ['realized_roi', exact('0.00000001')],
  ['max_drawdown_percent', exact('0.00000001')],
  ['max_drawdown.percent', exact('0.00000001')],
  ['realized_max_drawdown.percent', exact('0.00000001')],
]);

/**
 * @param {any} decision
 * @param {{ signal: import('./signals.mjs').Signal, plan: { outcome: string, code?: string | undefined, target: Fraction, sent: Fraction, price?: Fraction, ratio?: Fraction | undefined, amount?: Fraction, isRejected?: boolean }, trade: any, filled: Fraction, cost?: Fraction }} expected
 *   `trade`: the copy; `filled`, `cost`: what the exchange filled of it, and its value
 */
export function compareDecision(decision, { signal, plan, trade, filled, cost }) {
  const { outcome, code } = settledOutcome(plan, signal.isEntry, filled);
  // An order that carries older exits is larger than what belongs to this one.
  const carried = (plan.amount ?? plan.sent).minus(plan.sent);
  return [
    ...textDifferences(decision, {
      kind: signal.kind,
      symbol: signal.symbol,
      source_trade_id: signal.sourceTradeId,
      outcome,
      code,
    }),
    ...numberDifferences(decision, {
      sent_amount: plan.sent,
      filled_amount: filled.minus(carried),
      ...(plan.target.isPositive ? { target_amount: plan.target } : {}),
    }),
    ...(plan.ratio === undefined || decision.inputs.ratio === undefined
      ? []
      : numberDifferences(decision, { 'inputs.ratio': plan.ratio })),
    ...(cost === undefined || !filled.isPositive
      ? []
      : numberDifferences(decision, { slippage_bps: slippageOf(signal, cost.over(filled)) })),
    ...(trade === undefined ? [] : compareOrder(trade, { plan, signal, filled })),
  ];
}

/**
 * Returns how much worse a price is than the leader's, in basis points.
 *
 * @param {import('./signals.mjs').Signal} signal
 * @param {Fraction} price
 */
function slippageOf({ side, price: reference }, price) {
  const worse = side === 'BUY' ? price.minus(reference) : reference.minus(price);
  return worse.times(exact('10000')).over(reference);
}

/**
 * Returns the outcome after the order has ended.
 *
 * @param {{ outcome: string, code?: string | undefined, sent: Fraction, isRejected?: boolean | undefined }} plan `isRejected`: by
 *   the exchange
 * @param {boolean} isEntry
 * @param {Fraction} filled
 */
export function settledOutcome({ outcome, code, sent, isRejected = false }, isEntry, filled) {
  if (isRejected) return { outcome: 'FAILED', code: 'EXCHANGE_REJECTED' };
  if (!isEntry || !sent.isPositive || filled.compare(sent) === 0) return { outcome, code };
  // Rule 3: the unfilled rest of an entry is dropped.
  return filled.isZero
    ? { outcome: 'SKIPPED', code: 'SLIPPAGE' }
    : { outcome: 'CLAMPED', code: code ?? 'SLIPPAGE' };
}

/** @param {any} trade @param {{ plan: { sent: Fraction, amount?: Fraction, price?: Fraction }, signal: { isEntry: boolean, side: string }, filled: Fraction }} expected */
function compareOrder(trade, { plan, signal, filled }) {
  const terms = signal.isEntry
    ? { type: 'LIMIT', side: signal.side, time_in_force: 'IOC' }
    : { type: 'MARKET', side: signal.side };
  const numbers = {
    amount: plan.amount ?? plan.sent,
    filled_amount: filled,
    ...(plan.price === undefined ? {} : { price: plan.price }),
  };
  return [...textDifferences(trade, terms), ...numberDifferences(trade, numbers)].map((difference) => ({
    ...difference,
    field: `order.${difference.field}`,
  }));
}

/** @param {any} record @param {Record<string, string | number | boolean | null | undefined>} expected @returns {Difference[]} */
export function textDifferences(record, expected) {
  return Object.entries(expected)
    .filter(([field, value]) => record[field] !== value)
    .map(([field, oracle]) => ({ field, product: record[field] ?? null, oracle: oracle ?? null }));
}

/**
 * @param {any} record
 * @param {Record<string, Fraction | number | null>} expected a name may contain a dot: `best_trade.net_pnl`
 * @returns {Difference[]}
 */
export function numberDifferences(record, expected) {
  return Object.entries(expected).flatMap(([field, value]) => {
    const product = field.split('.').reduce((part, name) => part?.[name], record) ?? null;
    const oracle = typeof value === 'number' ? exact(String(value)) : value;
    return isEqual(product, oracle, COARSE.get(field) ?? TOLERANCE)
      ? []
      : [{ field, product, oracle: oracle?.toString() ?? null }];
  });
}

/** @param {string | number | null} product @param {Fraction | null} oracle @param {Fraction} tolerance */
function isEqual(product, oracle, tolerance) {
  if (product === null || oracle === null) return product === null && oracle === null;
  const difference = exact(product).minus(oracle).absolute;
  const scale = oracle.absolute.plus(exact('1'));
  return !tolerance.times(scale).isBelow(difference);
}

/**
 * Compares the trades of an account with the exchange's own orders and fills.
 *
 * @param {import('./facts.mjs').AccountFacts} facts
 * @returns {Difference[]}
 */
export function compareOrders({ trades, fills, ledger }) {
  const byOrder = new Map([...trades.values()].map((trade) => [trade.exchange_order_id, trade]));
  const causes = new Map(
    (ledger.liquidations ?? []).map((/** @type {any} */ { order_id, reason }) => [order_id, reason]),
  );
  return ledger.orders.flatMap((/** @type {any} */ order) => {
    const trade = byOrder.get(order.order_id);
    if (trade === undefined) return [{ field: `order ${order.order_id}`, product: null, oracle: order }];
    const own = fills.filter(({ tradeId }) => tradeId === trade.id);
    const cost = own.reduce((total, { price, amount }) => total.plus(price.times(amount)), ZERO);
    const cause = causes.get(order.order_id);
    return [
      // An order that the exchange placed has the reason as its origin.
      ...(cause === undefined ? [] : textDifferences(trade, { origin: cause })),
      ...numberDifferences(trade, {
        amount: exact(order.amount),
        filled_amount: exact(order.filled_amount),
        cost,
      }),
    ].map((difference) => ({ ...difference, field: `trade ${trade.id} ${difference.field}` }));
  });
}
