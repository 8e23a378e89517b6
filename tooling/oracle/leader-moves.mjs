import { setTimeout as wait } from 'node:timers/promises';
import { tradeAtVenue } from '../chaos/venue.mjs';
import { exact } from './fraction.mjs';
import { untilExitsAreTried } from './loss-watch.mjs';

/**
 * The moves of the leaders.
 *
 * @typedef {import('./moves.mjs').Move} Move
 * @typedef {import('./day.mjs').Day} Day
 * @typedef {import('./participants.mjs').Strategy} Strategy
 */

/** Rule 31 lets the product use a book for up to 2 s. */
const BOOK_AGE_MAX_MS = 2_200;
/** In quote currency: the least value of a lot of which two sales of about a half are above the exchange's minimum. */
const LEAST_VALUE_OF_TWO_SALES = '80';

/**
 * Waits until the product reads the book of a pair again, so that a book of another shape counts.
 *
 * @param {Day} day
 * @param {string} symbol
 */
export async function untilBookIsRead(day, symbol) {
  const plannedAt = day.plannedAt.get(symbol) ?? Number.NEGATIVE_INFINITY;
  await wait(Math.max(0, BOOK_AGE_MAX_MS - (performance.now() - plannedAt)));
}

/** Returns an amount of a random value. @param {Day} day @param {string} symbol */
export function drawAmount(day, symbol) {
  if (day.tradingType === 'perpetual')
    return amountFor(
      day,
      symbol,
      day.random.pick([90, 200, 700, 2_500, 6_000]) * day.random.between(0.8, 1.3),
    );
  return amountFor(day, symbol, day.random.pick([20, 60, 200, 700, 1_500]) * day.random.between(0.8, 1.3));
}

/** Returns the amount of this value in quote currency, rounded down to the step. @param {Day} day @param {string} symbol @param {number} value */
function amountFor(day, symbol, value) {
  const price = exact(day.mids.get(symbol) ?? 1);
  return exact(value).over(price).floorTo(day.parts.replay.pair(symbol).step);
}

/**
 * @param {Day} day
 * @param {Strategy} strategy
 * @param {string} symbol
 * @param {object} terms
 */
export async function order(day, strategy, symbol, terms) {
  return await day.parts.participants.api.post('/v1/trades', {
    exchange_account_id: strategy.account.id,
    trade_pair_id: day.parts.replay.pair(symbol).id,
    strategy_id: strategy.id,
    ...terms,
  });
}

/** Waits until a trade has this filled amount. @param {Day} day @param {string} id @param {import('./fraction.mjs').Fraction} amount */
export async function untilFilled(day, id, amount) {
  let trade;
  for (let attempt = 0; attempt < 200; attempt += 1) {
    trade = await day.parts.participants.api.get(`/v1/trades/${id}`);
    if (!exact(trade.filled_amount).isBelow(amount)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { status, symbol, side, filled_amount, cancel_reason, failure } = trade;
  const found = { status, symbol, side, filled_amount, cancel_reason, failure };
  day.report({ problem: 'a trade was not filled', id, amount: String(amount), found });
}

/** @type {Move} */
export async function buy(day, strategy, symbol) {
  return await buyAmount(day, strategy, symbol, drawAmount(day, symbol));
}

/** @param {Day} day @param {Strategy} strategy @param {string} symbol @param {import('./fraction.mjs').Fraction} amount */
async function buyAmount(day, strategy, symbol, amount) {
  const { id } = await order(day, strategy, symbol, { type: 'MARKET', side: 'BUY', amount: String(amount) });
  await untilFilled(day, id, amount);
  return `the leader buys ${amount} ${symbol}`;
}

/** A resting order fills in two parts; what is left is cancelled. @type {Move} */
export async function buyInParts(day, strategy, symbol) {
  return await orderInParts(day, strategy, symbol, { side: 'BUY', amount: drawAmount(day, symbol) });
}

/** @param {Day} day @param {Strategy} strategy @param {string} symbol @param {{ side: 'BUY' | 'SELL', amount: import('./fraction.mjs').Fraction }} terms */
export async function orderInParts(day, strategy, symbol, { side, amount }) {
  const pair = day.parts.replay.pair(symbol);
  const isPurchase = side === 'BUY';
  const price = exact(day.mids.get(symbol) ?? 0)
    .times(exact(isPurchase ? '0.9995' : '1.0005'))
    .floorTo(pair.tick);
  day.move = `the leader's order to ${isPurchase ? 'buy' : 'sell'} ${amount} ${symbol} at ${price} fills in parts`;
  const { id } = await order(day, strategy, symbol, {
    type: 'LIMIT',
    side,
    amount: String(amount),
    price: String(price),
  });
  await untilAccepted(day, id);
  let filled = exact('0');
  for (const share of ['0.3', '0.4']) {
    const part = amount.times(exact(share)).floorTo(pair.step);
    if (!part.isPositive) break;
    const [below, above] = ['0.998', '1.002'].map((times) => price.times(exact(times)).floorTo(pair.tick));
    if (below === undefined || above === undefined) throw new Error('no prices');
    /** @type {[string, string][]} */
    const near = [
      [String(price), String(part)],
      [String(isPurchase ? above : below), '5000'],
    ];
    /** @type {[string, string][]} */
    const far = [[String(isPurchase ? below : above), '5000']];
    await day.venue.setBook({
      symbol,
      ...(isPurchase ? { bids: far, asks: near } : { bids: near, asks: far }),
    });
    day.bookMid = below.plus(above).over(exact('2'));
    filled = filled.plus(part);
    await untilFilled(day, id, filled);
    await day.settleAndCompare();
  }
  await day.parts.participants.api.post(`/v1/trades/${id}/cancel`, {}).catch(() => undefined);
  await untilEnded(day, id);
  return day.move;
}

/** Waits until no later price can fill the order. @param {Day} day @param {string} id */
async function untilEnded(day, id) {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const { status } = await day.parts.participants.api.get(`/v1/trades/${id}`);
    if (status !== 'PENDING' && status !== 'PARTIALLY_FILLED') return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** @param {Day} day @param {string} id */
async function untilAccepted(day, id) {
  let trade;
  for (let attempt = 0; attempt < 200; attempt += 1) {
    trade = await day.parts.participants.api.get(`/v1/trades/${id}`);
    if (trade.exchange_order_id !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** @param {Day} day @param {Strategy} strategy @param {string} symbol */
function leaderHolds({ parts: { replay } }, strategy, symbol) {
  const { lots, pair } = replay.book(strategy.account.id, symbol);
  const total = lots.reduce((all, { open }) => all.plus(open), exact('0'));
  return total.floorTo(/** @type {any} */ (pair).step);
}

/** @param {Day} day @param {Strategy} strategy @param {string} symbol @param {import('./fraction.mjs').Fraction} amount */
async function sell(day, strategy, symbol, amount) {
  const price = exact(day.mids.get(symbol) ?? 0);
  if (amount.times(price).isBelow(exact('10.5'))) return await buy(day, strategy, symbol);
  const terms = { type: 'MARKET', side: 'SELL', amount: String(amount) };
  const { id } = await order(day, strategy, symbol, terms);
  await untilFilled(day, id, amount);
  return `the leader sells ${amount} ${symbol}`;
}

/** @type {Move} */
export async function sellPart(day, strategy, symbol) {
  const share = exact(day.random.between(0.1, 0.9).toFixed(3));
  const { step } = day.parts.replay.pair(symbol);
  return await sell(day, strategy, symbol, leaderHolds(day, strategy, symbol).times(share).floorTo(step));
}

/**
 * Two exits of one lot, neither of which closes it. The second has what the first left: the rest of a step, or all of an exit that waits.
 *
 * @type {Move}
 */
export async function sellTwice(day, strategy, symbol) {
  if (oldestLotForTwoSales(day, strategy, symbol) === undefined) {
    day.move = await buyAmount(day, strategy, symbol, amountFor(day, symbol, 700));
    await day.settleAndCompare();
  }
  const lot = oldestLotForTwoSales(day, strategy, symbol);
  if (lot === undefined) throw new Error(`${strategy.account.name} has no lot of ${symbol} after a purchase`);
  day.move = await sellPartOf(day, strategy, symbol, lot);
  await day.settleAndCompare();
  await untilExitsAreTried(day);
  return `${day.move}, then ${await sellPartOf(day, strategy, symbol, lot)}`;
}

/**
 * Returns the oldest lot that is worth two sales in parts.
 *
 * @param {Day} day
 * @param {Strategy} strategy
 * @param {string} symbol
 */
function oldestLotForTwoSales(day, strategy, symbol) {
  const price = exact(day.mids.get(symbol) ?? 0);
  const { lots } = day.parts.replay.book(strategy.account.id, symbol);
  return lots.find(({ open }) => !open.times(price).isBelow(exact(LEAST_VALUE_OF_TWO_SALES)));
}

/** Sells all lots before this one, and a part of it. @param {Day} day @param {Strategy} strategy @param {string} symbol @param {import('./lots.mjs').Lot} lot */
async function sellPartOf(day, strategy, symbol, lot) {
  const { lots, pair } = day.parts.replay.book(strategy.account.id, symbol);
  const share = exact(day.random.between(0.4, 0.6).toFixed(3));
  const older = lots.slice(0, lots.indexOf(lot)).reduce((all, { open }) => all.plus(open), exact('0'));
  const amount = older.plus(lot.open.times(share)).floorTo(/** @type {any} */ (pair).step);
  return await sell(day, strategy, symbol, amount);
}

/** @type {Move} */
export async function sellAll(day, strategy, symbol) {
  return await sell(day, strategy, symbol, leaderHolds(day, strategy, symbol));
}

/** What was bought in parts is sold, so that a closed trade has several lots. @type {Move} */
export async function buyInPartsAndSellAll(day, strategy, symbol) {
  const bought = await buyInParts(day, strategy, symbol);
  await day.settleAndCompare();
  await day.moveTo(symbol, day.mids.get(symbol) ?? 0);
  return `${bought}, then ${await sellAll(day, strategy, symbol)}`;
}

/** @type {Move} */
export async function sellAtVenue(day, strategy, symbol) {
  const { step } = day.parts.replay.pair(symbol);
  const amount = leaderHolds(day, strategy, symbol).times(exact('0.5')).floorTo(step);
  if (amount.times(exact(day.mids.get(symbol) ?? 0)).isBelow(exact('10.5'))) {
    return await buy(day, strategy, symbol);
  }
  const terms = {
    symbol: symbol.replace('/', ''),
    side: /** @type {const} */ ('SELL'),
    quantity: String(amount),
  };
  await tradeAtVenue(day.venue.url, strategy.account.credentials, terms);
  return `the leader sells ${amount} ${symbol} at the exchange`;
}

/** The book has little at the leader's price and the rest above the bound of most copiers. @type {Move} */
export async function buyThin(day, strategy, symbol) {
  return await buyFrom(day, strategy, symbol, {
    bid: '0.995',
    asks: [
      ['1', '1.3'],
      ['1.0055', '1000'],
    ],
  });
}

/** The leader's price is far above the middle of the book. @type {Move} */
export async function buyOffMarket(day, strategy, symbol) {
  return await buyFrom(day, strategy, symbol, {
    bid: '0.95',
    asks: [
      ['1', '1'],
      ['1.001', '1000'],
    ],
  });
}

/**
 * Buys from a book of which the second number of each ask is a multiple of the leader's amount.
 *
 * @param {Day} day
 * @param {Strategy} strategy
 * @param {string} symbol
 * @param {{ bid: string, asks: [string, string][] }} shape prices relative to the last price
 */
async function buyFrom(day, strategy, symbol, { bid, asks }) {
  const pair = day.parts.replay.pair(symbol);
  const last = exact(day.mids.get(symbol) ?? 0);
  const amount = drawAmount(day, symbol);
  const priceOf = (/** @type {string} */ share) => String(last.times(exact(share)).floorTo(pair.tick));
  await day.venue.setBook({
    symbol,
    bids: [[priceOf(bid), '50']],
    asks: asks.map(([price, times]) => [
      priceOf(price),
      String(amount.times(exact(times)).floorTo(pair.step)),
    ]),
  });
  await untilBookIsRead(day, symbol);
  day.oddBooks.add(symbol);
  const { id } = await order(day, strategy, symbol, { type: 'MARKET', side: 'BUY', amount: String(amount) });
  await untilFilled(day, id, amount);
  day.bookMid = await day.venue.bookMid(symbol);
  return `the leader buys ${amount} ${symbol} from a book of ${asks.length} levels`;
}
