import { amountText, units } from './amounts.mjs';
import { amountOf, kindOf } from './order-terms.mjs';

/**
 * The orders of leaders on perpetuals. They open, increase, reduce, close and reverse positions on both sides.
 *
 * @typedef {import('./random.mjs').Random} Random
 * @typedef {import('./order-terms.mjs').Terms} Terms
 */

/** The value of an order that opens or increases, in USDT. Most copies of the least one are above the minimums. */
const values = { min: 600, max: 3_600 };
/** The amount step of the contracts of leaders. */
const step = units('0.001');
/** The least amounts of reductions. Their value is at least 50 USDT, as the contracts demand. */
const minReductions = { BTC: units('0.001'), ETH: units('0.017') };

/**
 * @param {import('./participants.mjs').Leader} leader
 * @param {any} pair
 * @param {Random} random
 * @returns {Promise<Terms>}
 */
export async function drawPerpetualOrder(leader, pair, random) {
  const net = await readNet(leader, pair);
  const fresh = amountOf(pair, random, values);
  const kind = random.next();
  if (net === 0n) return enter(pair, random.happens(0.5) ? 'BUY' : 'SELL', fresh, random);
  const held = net < 0n ? -net : net;
  const increasing = net < 0n ? 'SELL' : 'BUY';
  const reducing = net < 0n ? 'BUY' : 'SELL';
  if (kind < 0.35) return enter(pair, increasing, fresh, random);
  if (kind < 0.6) {
    const share = (held * BigInt(Math.round(random.between(100, 900)))) / 1_000n;
    const part = share - (share % step);
    const least = minReductions[/** @type {keyof typeof minReductions} */ (pair.base)];
    if (part >= least)
      return { ...enter(pair, reducing, amountText(part), random), reduce_only: random.happens(0.5) };
  }
  if (kind < 0.75) return { side: reducing, amount: amountText(held), type: 'MARKET', reduce_only: true };
  // The order closes the position and opens the other side.
  return enter(pair, reducing, amountText(held + units(fresh)), random);
}

/** @param {any} pair @param {'BUY' | 'SELL'} side @param {string} amount @param {Random} random @returns {Terms} */
const enter = (pair, side, amount, random) => ({ side, amount, ...kindOf(pair, side, random) });

/**
 * Returns the position as the product last reported it; negative: short. Without a response, orders are drawn as if there
 * were no position.
 *
 * @param {import('./participants.mjs').Leader} leader
 * @param {any} pair
 */
async function readNet({ api, account }, pair) {
  const query = { exchange_account_id: account.id, trade_pair_id: pair.id };
  const positions = await api.positions.list(query).catch(() => undefined);
  const position = positions?.data[0];
  if (position === undefined) return 0n;
  const amount = units(position.amount);
  return position.side === 'SHORT' ? -amount : amount;
}
