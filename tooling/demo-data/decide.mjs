import { filledAmount, newFill, sideOf } from './orders.mjs';
import { decimalOf, numberOf, ONE, unitsOf, valueAt } from './units.mjs';

/** The least value of an order at the paper exchange. */
const MIN_NOTIONAL = 10n * ONE;

/** @typedef {{ copier: import('./cast.mjs').CastCopier, random: import('./random.mjs').Random, signal: import('./signals.mjs').Signal, at: number }} Context */

/**
 * @param {Context} context
 * @returns {{ decision: import('./copies.mjs').Decision, lot?: import('./copies.mjs').CopiedLot }}
 */
export function decideEntry(context) {
  const { copier, random, signal, at } = context;
  const { pair, entry } = signal.round;
  const rejection = rejectionOf(context);
  if (rejection !== undefined) return { decision: skip(context, ...rejection) };
  const price = numberOf(signal.fill.price);
  const leaderAmount = numberOf(entry.amount);
  const ratio = ratioOf(copier, signal, price * leaderAmount);
  const target = unitsOf(leaderAmount * ratio, pair.stepDecimals);
  const slippage = copier.limits?.max_slippage_bps ?? 50;
  const limitPrice = unitsOf(price * (1 + slippage / 10_000), pair.tickDecimals);
  const cap = copier.limits?.max_trade_quote;
  const capped = cap === undefined ? target : unitsOf(cap / numberOf(limitPrice), pair.stepDecimals);
  const isClamped = capped < target;
  const amount = isClamped ? capped : target;
  const shown = decimalOf(amount);
  const inputs = {
    ...entryInputs(context),
    ratio: coarse(ratio),
    masked_ratio: coarse(ratio),
    sent_before: '0',
    forgone_before: '0',
    limit_price: decimalOf(limitPrice),
    masked_target: decimalOf(target),
    ...(isClamped
      ? { rule: 'max_trade_quote', value: decimalOf(valueAt(limitPrice, target)), limit: String(cap) }
      : {}),
  };
  const isRejected = random.chance(copier.shares?.rejected ?? 0);
  const arrival = unitsOf(price * (1 + random.normal() * 0.00008), pair.tickDecimals);
  const order = copyOrder(context, { amount, price: arrival, limitPrice, isRejected });
  const decision = {
    id: random.uuid(at),
    copier: copier.key,
    signal,
    at,
    ...(isRejected
      ? { outcome: /** @type {const} */ ('FAILED'), code: 'EXCHANGE_REJECTED' }
      : {
          outcome: isClamped ? /** @type {const} */ ('CLAMPED') : /** @type {const} */ ('COPIED'),
          code: isClamped ? 'MAX_TRADE' : null,
        }),
    inputs: { ...inputs, leader_amount: decimalOf(entry.amount) },
    target,
    perfect: target,
    order,
    latencyMs: isRejected ? null : (order.fills[0]?.at ?? at) - at,
    arrivalPrice: decimalOf(arrival),
  };
  if (isRejected || shown === '0') return { decision };
  const round = { pair, entry: order, exits: [] };
  return {
    decision,
    lot: { signal, ratio: { amount: target, of: entry.amount }, round, forgone: target - amount, owed: 0n },
  };
}

/**
 * Returns the code and the numbers of the rule by which the entry is skipped.
 *
 * @param {Context} context
 * @returns {[string, Record<string, unknown>] | undefined}
 */
function rejectionOf({ copier, random, signal }) {
  const { limits = {}, shares = {} } = copier;
  const { symbol } = signal.round.pair;
  if (limits.blocked_pairs?.includes(symbol))
    return ['PAIR_BLOCKED', { rule: 'blocked_pairs', value: symbol, limit: null }];
  const draw = random.next();
  const { stale = 0, offMarket = 0, crowded = 0, poor = 0 } = shares;
  if (draw < stale) {
    const age = random.integer(61_000, 190_000);
    return ['STALE_SIGNAL', { rule: 'max_signal_age_ms', value: age, limit: 60_000, age_ms: age }];
  }
  if (draw < stale + offMarket) {
    const limit = limits.max_slippage_bps ?? 50;
    const mid = decimalOf(unitsOf(numberOf(signal.fill.price) * (1 + (limit + 20) / 10_000), 2));
    return [
      'OFF_MARKET',
      {
        rule: 'max_slippage_bps',
        value: random.between(limit + 1, limit + 40).toFixed(4),
        limit,
        book_mid: mid,
      },
    ];
  }
  if (draw < stale + offMarket + crowded) {
    const limit = limits.max_open_trades ?? 1;
    return ['MAX_TRADES', { rule: 'max_open_trades', value: limit, limit }];
  }
  if (draw < stale + offMarket + crowded + poor)
    return [
      'INSUFFICIENT_BALANCE',
      { rule: 'free_quote', value: '15009.12', limit: random.between(900, 9000).toFixed(2) },
    ];
  return undefined;
}

/**
 * @param {Context} context
 * @param {import('./copies.mjs').CopiedLot | undefined} lot
 * @returns {import('./copies.mjs').Decision}
 */
export function decideExit(context, lot) {
  const { copier, random, signal, at } = context;
  const held =
    lot === undefined
      ? 0n
      : lot.round.exits.reduce((left, exit) => left - filledAmount(exit), filledAmount(lot.round.entry));
  if (lot === undefined || held === 0n)
    return skip(context, 'NOT_HELD', { rule: 'held', value: '0', limit: null });
  const { pair } = lot.round;
  const share = numberOf(signal.fill.amount) / numberOf(signal.before);
  const amount = signal.kind === 'CLOSE' ? held : unitsOf(numberOf(held) * share, pair.stepDecimals);
  const inputs = {
    held: decimalOf(held),
    exit_amount: decimalOf(signal.fill.amount),
    masked_target: decimalOf(amount),
    reference_price: decimalOf(signal.fill.price),
    lot_amount_before: decimalOf(signal.before),
  };
  const exit = {
    id: random.uuid(at),
    copier: copier.key,
    signal,
    at,
    target: amount,
    perfect: null,
    arrivalPrice: null,
  };
  const notional = valueAt(signal.fill.price, amount);
  if (signal.kind === 'REDUCE' && notional < MIN_NOTIONAL) {
    lot.owed = amount;
    const numbers = { rule: 'min_notional', value: decimalOf(notional), limit: decimalOf(MIN_NOTIONAL) };
    const missing = unitsOf(
      numberOf(MIN_NOTIONAL - notional) / numberOf(signal.fill.price),
      pair.stepDecimals,
    );
    return {
      ...exit,
      outcome: 'SKIPPED',
      code: 'BELOW_MINIMUM',
      inputs: { ...inputs, ...numbers, missing_amount: decimalOf(missing) },
      order: null,
      latencyMs: null,
      isWaiting: true,
    };
  }
  const order = copyOrder(context, { amount, price: signal.fill.price, limitPrice: null, isRejected: false });
  lot.round.exits.push(order);
  const latencyMs = (order.fills[0]?.at ?? at) - at;
  return { ...exit, outcome: 'COPIED', code: null, inputs, order, latencyMs };
}

/**
 * @param {Context} context
 * @param {string} code
 * @param {Record<string, unknown>} numbers
 * @returns {import('./copies.mjs').Decision}
 */
export function skip(context, code, numbers) {
  const { copier, random, signal, at } = context;
  const inputs = {
    ...(signal.kind === 'OPEN' ? entryInputs(context) : { reference_price: decimalOf(signal.fill.price) }),
    ...numbers,
  };
  const perfect = signal.kind === 'OPEN' && code !== 'NOT_ACTIVE' ? perfectOf(copier, signal) : null;
  return {
    id: random.uuid(at),
    copier: copier.key,
    signal,
    at,
    outcome: 'SKIPPED',
    code,
    inputs,
    target: 0n,
    perfect,
    order: null,
    latencyMs: null,
    arrivalPrice: null,
  };
}

/** @param {Context} context */
const entryInputs = ({ signal, at }) => ({
  reference_price: decimalOf(signal.fill.price),
  leader_amount: decimalOf(filledAmount(signal.order)),
  age_ms: at - signal.at,
});

/**
 * @param {import('./cast.mjs').CastCopier} copier
 * @param {import('./signals.mjs').Signal} signal
 */
function perfectOf(copier, signal) {
  const { pair, entry } = signal.round;
  const leaderAmount = numberOf(entry.amount);
  return unitsOf(
    leaderAmount * ratioOf(copier, signal, numberOf(signal.fill.price) * leaderAmount),
    pair.stepDecimals,
  );
}

/**
 * @param {import('./cast.mjs').CastCopier} copier
 * @param {import('./signals.mjs').Signal} signal
 * @param {number} leaderCost
 */
const ratioOf = ({ sizing }, signal, leaderCost) =>
  sizing.mode === 'FIXED_QUOTE' ? sizing.value / leaderCost : (sizing.value * sizing.capital) / signal.equity;

/** Rounds to two significant digits, as other users may see ratios. @param {number} ratio */
const coarse = (ratio) => String(Number(ratio.toPrecision(2)));

/**
 * @param {Context} context
 * @param {{ amount: bigint, price: bigint, limitPrice: bigint | null, isRejected: boolean }} options
 * @returns {import('./orders.mjs').Order}
 */
function copyOrder({ random, signal, at }, { amount, price, limitPrice, isRejected }) {
  const { pair } = signal.round;
  const latency = Math.exp(4.6 + random.normal() * 0.35);
  const slip = 1 + (signal.kind === 'OPEN' ? 1 : -1) * random.between(-0.5, 2.5) * 0.0001;
  const fill = newFill({
    random,
    pair,
    at: at + latency,
    price: numberOf(price) * slip,
    amount,
    liquidity: 'TAKER',
  });
  const isEntry = signal.kind === 'OPEN';
  return {
    id: random.uuid(at),
    at,
    side: sideOf(signal.kind),
    type: isEntry ? 'LIMIT' : 'MARKET',
    timeInForce: isEntry ? 'IOC' : 'GTC',
    intent: signal.kind,
    price: limitPrice,
    amount,
    fills: isRejected ? [] : [fill],
    status: isRejected ? 'FAILED' : 'FILLED',
    endedAt: fill.at,
    ...(isRejected
      ? { failure: { code: 'exchange_rule_violated', message: 'Filter failure: PERCENT_PRICE_BY_SIDE.' } }
      : {}),
  };
}
