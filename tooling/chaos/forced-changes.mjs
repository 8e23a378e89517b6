import { setTimeout as wait } from 'node:timers/promises';
import { placeReliably } from './leader-trades.mjs';
import { PRICES } from './order-terms.mjs';
import { speculatorFunds } from './participants.mjs';
import { admin, ledgerOf } from './venue.mjs';

/**
 * What the exchange does to positions on its own: it charges funding, closes positions by auto-deleveraging (ADL), and
 * liquidates the speculator.
 *
 * @typedef {{ fundings: number, adls: number, liquidations: number }} ForcedCounts
 * @typedef {import('./storm.mjs').Context} Context
 * @typedef {import('./storm.mjs').Clock} Clock
 */

const pauseMs = { min: 3_000, max: 9_000 };
const speculated = 'SOL/USDT:USDT';
/** The value of the speculator's position is 15 times its funds, so that a move of 7 % liquidates it. */
const speculatedValue = 15_000;
const markStep = 0.005;
const markSteps = 24;
const openMaxMs = 20_000;
const pollMs = 200;

/**
 * @param {Context} context
 * @param {Clock} clock
 * @param {ForcedCounts} counts
 */
export async function forcePositions(context, clock, counts) {
  const { product, participants, random, print } = context;
  const url = product.paperExchangeUrl;
  for (let turn = 0; !clock.isOver(); turn++) {
    await clock.pause(random.between(pauseMs.min, pauseMs.max));
    if (clock.isOver()) return;
    const isLeader = random.happens(0.3);
    const { account } = isLeader
      ? random.pick(participants.leaders)
      : { account: random.pick(participants.accounts) };
    if (turn % 4 === 1) counts.adls += await deleverage(url, account);
    else if (turn % 4 === 3) {
      const count = await liquidateSpeculator(context, clock, turn);
      if (count > 0) print(`the exchange liquidated the speculator: ${count} orders`);
      counts.liquidations += count;
    } else {
      await payFunding(url, random.pick(participants.pairs).symbol, random.between(-0.002, 0.002).toFixed(6));
      counts.fundings++;
    }
  }
}

/** @param {string} url @param {string} symbol @param {string} rate */
export async function payFunding(url, symbol, rate) {
  await admin(url, 'POST', 'funding', { symbol, rate });
}

/**
 * Closes one position of an account by ADL. Returns the number of closed positions.
 *
 * @param {string} url
 * @param {import('./participants.mjs').Account} account
 */
async function deleverage(url, { credentials }) {
  const { positions } = await ledgerOf(url, credentials);
  const [position] = positions;
  if (position === undefined) return 0;
  // An order may have closed the position meanwhile.
  const body = { api_key: credentials.api_key, symbol: position.symbol };
  return await admin(url, 'POST', 'adl', body).then(
    () => 1,
    () => 0,
  );
}

/**
 * The speculator opens a position, and its mark price moves until the exchange liquidates a part of it. Returns the number of
 * orders of the liquidation.
 *
 * @param {Context} context
 * @param {Clock} clock
 * @param {number} turn
 */
async function liquidateSpeculator({ product, participants, random }, { isOver }, turn) {
  const url = product.paperExchangeUrl;
  const { api, account } = /** @type {import('./participants.mjs').Trader} */ (participants.speculator);
  const { id: pairId } = participants.pairs.find(({ symbol }) => symbol === speculated);
  const read = async () => await ledgerOf(url, account.credentials);
  const liquidated = async () => (await read()).liquidations.length;
  const before = await liquidated();
  await placeReliably(api, {
    exchange_account_id: account.id,
    trade_pair_id: pairId,
    client_order_id: `chaos-speculator-${turn}`,
    side: random.pick(['BUY', 'SELL']),
    amount: String(speculatedValue / PRICES.SOL),
    type: 'MARKET',
  });
  const deadline = performance.now() + openMaxMs;
  let [position] = (await read()).positions;
  while (position === undefined && !isOver() && performance.now() < deadline) {
    await wait(pollMs);
    [position] = (await read()).positions;
  }
  if (position === undefined) return 0;
  const price = Number(position.mark_price).toFixed(2);
  for (let step = 1; step <= markSteps && (await liquidated()) === before; step++) {
    const change = (position.side === 'LONG' ? -1 : 1) * step * markStep;
    const mark = (Number(price) * (1 + change)).toFixed(2);
    await admin(url, 'POST', 'market', { symbol: speculated, price, mark_price: mark });
  }
  // Without a mark price, it follows the price again.
  await admin(url, 'POST', 'market', { symbol: speculated, price });
  const funds = { api_key: account.credentials.api_key, asset: 'USDT', amount: speculatorFunds };
  await admin(url, 'POST', 'deposits', { ...funds, wallet: 'futures' });
  return (await liquidated()) - before;
}
