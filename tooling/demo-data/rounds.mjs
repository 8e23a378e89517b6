import { DAY_MS, HOUR_MS } from './market.mjs';
import { filledAmount, filledOrder, partlyFilledOrder, unfilledOrder } from './orders.mjs';
import { numberOf, unitsOf } from './units.mjs';

/** No simulated order is younger than this at the end, so that it does not look like one that is in flight. */
export const QUIET_MS = 25 * 60_000;

/**
 * A position from its entry to its exits. Without exits that add up to its amount, it is open at the end.
 *
 * @typedef {{ pair: import('./market.mjs').Pair, entry: import('./orders.mjs').Order, exits: import('./orders.mjs').Order[] }} Round
 *
 * @typedef {{
 *   perDay: number, holdHours: readonly [number, number], edge: number, stake: readonly [number, number], fillsMax?: number,
 *   partialShare?: number, keepsOpen?: boolean,
 * }} Style `perDay`: positions per pair and day; `edge`: the share of losing positions that are not taken, below 0 of
 *   winning ones; `stake`: the value of an entry; `partialShare`: the share of entries that are filled partly
 *
 * @typedef {{
 *   random: import('./random.mjs').Random, market: import('./market.mjs').Market, style: Style, from: number, to: number,
 * }} Period
 */

/**
 * Draws the positions of one pair. Only one of them is open at a time.
 *
 * @param {Period & { pair: import('./market.mjs').Pair }} period
 * @returns {Round[]}
 */
export function drawRounds({ random, market, style, pair, from, to }) {
  const { perDay, holdHours, edge } = style;
  const gapHours = Math.max(2, 24 / perDay - (holdHours[0] + holdHours[1]) / 2);
  /** @type {Round[]} */
  const rounds = [];
  let at = from + random.between(1, gapHours) * HOUR_MS;
  while (at < to) {
    const exitAt = at + random.between(...holdHours) * HOUR_MS;
    const isOpen = exitAt > to;
    if (isOpen && style.keepsOpen !== true) break;
    const isLoss = market.priceAt(pair.symbol, exitAt) < market.priceAt(pair.symbol, at) * 1.002;
    if (!isOpen && random.chance(Math.abs(edge)) && isLoss === edge > 0) {
      at += random.between(2, 8) * HOUR_MS;
      continue;
    }
    rounds.push(drawRound({ random, market, style, pair, at, exitAt, to }));
    at = exitAt + random.between(0.4, 1.6) * gapHours * HOUR_MS;
  }
  return rounds;
}

/**
 * @param {Omit<Period, 'from'> & { pair: import('./market.mjs').Pair, at: number, exitAt: number }} options
 * @returns {Round}
 */
function drawRound({ random, market, style, pair, at, exitAt, to }) {
  const { fillsMax = 1, partialShare = 0 } = style;
  const price = market.priceAt(pair.symbol, at);
  const amount = unitsOf(random.between(...style.stake) / price, pair.stepDecimals);
  const ask = { random, pair, at, price, amount, intent: /** @type {const} */ ('OPEN') };
  const entry = random.chance(partialShare) ? partlyFilledOrder(ask) : filledOrder({ ...ask, fillsMax });
  const held = filledAmount(entry);
  const exit = (
    /** @type {number} */ time,
    /** @type {bigint} */ part,
    /** @type {'REDUCE' | 'CLOSE'} */ intent,
  ) =>
    filledOrder({
      random,
      pair,
      at: time,
      price: market.priceAt(pair.symbol, time),
      amount: part,
      intent,
      fillsMax,
    });
  const halfAt = (at + exitAt) / 2;
  const isReduced = random.chance(0.25) && halfAt < to && halfAt - at > 2 * HOUR_MS;
  const half = isReduced ? unitsOf(numberOf(held) / 2, pair.stepDecimals) : 0n;
  const exits = isReduced ? [exit(halfAt, half, 'REDUCE')] : [];
  if (exitAt <= to) exits.push(exit(exitAt, held - half, 'CLOSE'));
  return { pair, entry, exits };
}

/** Returns the orders of a position, oldest first. @param {Round} round */
export const ordersOf = ({ entry, exits }) => [entry, ...exits];

/** Returns what a position still holds. @param {Round} round */
export const heldAmount = ({ entry, exits }) =>
  exits.reduce((held, exit) => held - filledAmount(exit), filledAmount(entry));

/** @type {readonly import('./orders.mjs').Failure[]} */
const FAILURES = [
  { code: 'exchange_rule_violated', message: 'Filter failure: PERCENT_PRICE_BY_SIDE.' },
  { code: 'insufficient_balance', message: 'Account has insufficient balance for requested action.' },
  {
    code: 'exchange_unavailable',
    message: 'The exchange did not respond within 10 s; the order does not exist there.',
  },
];
const CANCEL_REASONS = ['USER', 'USER', 'USER', 'EXCHANGE', 'FOK_UNFILLED', 'EXPIRED'];

/**
 * Draws orders that end without a fill: most are cancelled, some fail.
 *
 * @param {Period & { pairs: readonly import('./market.mjs').Pair[], count: number }} options
 * @returns {{ pair: import('./market.mjs').Pair, order: import('./orders.mjs').Order }[]}
 */
export function drawUnfilledOrders({ random, market, style, pairs, count, from, to }) {
  return Array.from({ length: count }, () => {
    const pair = random.pick(pairs);
    const at = random.between(from, to - DAY_MS);
    const price = market.priceAt(pair.symbol, at);
    const amount = unitsOf(random.between(...style.stake) / price, pair.stepDecimals);
    const outcome = random.chance(0.25)
      ? { failure: random.pick(FAILURES) }
      : { cancelReason: random.pick(CANCEL_REASONS) };
    return { pair, order: unfilledOrder({ random, pair, at, price, amount, intent: 'OPEN', ...outcome }) };
  });
}
