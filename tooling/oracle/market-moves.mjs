import { setTimeout as wait } from 'node:timers/promises';
import { untilBookIsRead } from './leader-moves.mjs';
import { untilExitsAreTried } from './loss-watch.mjs';

/**
 * The moves of the market.
 *
 * @typedef {import('./moves.mjs').Move} Move
 */

/** In this time the product receives a price. */
const PRICE_RECEIVED_MS = 3_000;

/** The price of a pair falls, so that loss limits are reached, or rises again, so that exits below the minimum are sold. @type {Move} */
export async function moveMarket(day, _strategy, symbol) {
  const before = day.mids.get(symbol) ?? 0;
  const isLow = before < (day.startMids.get(symbol) ?? 0) * 0.97;
  const after = before * (isLow ? day.random.between(1.06, 1.16) : day.random.between(0.86, 0.94));
  await untilBookIsRead(day, symbol);
  await day.moveTo(symbol, after);
  await day.recordEquities();
  await day.losses?.check({ isPriceKnown: true });
  await untilExitsAreTried(day);
  return `${symbol} moves from ${before} to ${after.toFixed(2)}`;
}

/**
 * The price of the third asset of fees moves at the start of a minute: a fee may be valued at the close of its minute. The
 * wait for it is too long for a short day.
 *
 * @type {Move}
 */
export async function moveThirdAsset(day) {
  if (day.deck.number === 1) return 'nothing';
  const price = 150 * day.random.between(0.8, 1.2);
  await wait(60_000 - (Date.now() % 60_000));
  await day.tradeThirdAsset(price);
  await wait(PRICE_RECEIVED_MS);
  return `SOL/USDT moves to ${price.toFixed(2)}`;
}
