import { tradeAtVenue } from '../chaos/venue.mjs';
import { exact, least } from './fraction.mjs';
import { drawAmount, order, orderInParts, untilBookIsRead, untilFilled } from './leader-moves.mjs';
import { recordMargin } from './perpetual-records.mjs';
import { oppositeOf } from './signed-plans.mjs';
import { closeLot, drawCopierOf, editCopier, startCopier, stopCopier } from './user-moves.mjs';

/**
 * The moves of a day on perpetuals.
 *
 * @typedef {import('./moves.mjs').Move} Move
 * @typedef {import('./day.mjs').Day} Day
 * @typedef {import('./participants.mjs').Strategy} Strategy
 * @typedef {import('./fraction.mjs').Fraction} Fraction
 */

/** The mark price moves by at most 45 %, a thousandth of the last price at a time. */
const LIQUIDATION_STEPS = 450;
const SIDES = /** @type {const} */ (['BUY', 'SELL']);

/** @param {Day} day @param {Strategy} strategy @param {string} symbol */
const netOf = (day, strategy, symbol) => day.parts.replay.book(strategy.account.id, symbol).net;

/** The side of an order that reduces a position. @param {Fraction} net */
const reducingSide = (net) => (net.isNegative ? 'BUY' : 'SELL');

/** @param {Day} day @param {Strategy} strategy @param {string} symbol @param {{ side: 'BUY' | 'SELL', amount: Fraction, reduce_only?: boolean }} terms */
async function trade(day, strategy, symbol, { amount, ...terms }) {
  const what = { type: 'MARKET', amount: String(amount), ...terms };
  const { id } = await order(day, strategy, symbol, what);
  await untilFilled(day, id, amount);
  return `the leader ${terms.side === 'BUY' ? 'buys' : 'sells'} ${amount} ${symbol}`;
}

/** Opens, increases, reduces or reverses, as the position is. @type {Move} */
async function tradeRandomly(day, strategy, symbol) {
  return await trade(day, strategy, symbol, {
    side: day.random.pick(SIDES),
    amount: drawAmount(day, symbol),
  });
}

/** Increases the position, or opens one. @type {Move} */
async function increase(day, strategy, symbol) {
  const net = netOf(day, strategy, symbol);
  const side = net.isZero ? day.random.pick(SIDES) : oppositeOf(reducingSide(net));
  return await trade(day, strategy, symbol, { side, amount: drawAmount(day, symbol) });
}

/** One fill closes the position and opens the other side. @type {Move} */
async function reverse(day, strategy, symbol) {
  const net = netOf(day, strategy, symbol);
  if (net.isZero) return await increase(day, strategy, symbol);
  const amount = net.absolute.plus(drawAmount(day, symbol));
  return `${await trade(day, strategy, symbol, { side: reducingSide(net), amount })}, which reverses`;
}

/** @param {Day} day @param {Strategy} strategy @param {string} symbol @param {string} share @param {boolean} isReduceOnly */
async function reduce(day, strategy, symbol, share, isReduceOnly) {
  const net = netOf(day, strategy, symbol);
  const { step, minNotional } = day.parts.replay.pair(symbol);
  const amount = net.absolute.times(exact(share)).floorTo(step);
  if (amount.times(exact(day.mids.get(symbol) ?? 0)).isBelow(minNotional.times(exact('1.05'))))
    return await increase(day, strategy, symbol);
  return await trade(day, strategy, symbol, {
    side: reducingSide(net),
    amount,
    ...(isReduceOnly ? { reduce_only: true } : {}),
  });
}

/** @type {Move} */
const reducePart = async (day, strategy, symbol) =>
  await reduce(day, strategy, symbol, day.random.between(0.1, 0.9).toFixed(3), day.random.happens(0.5));

/** Two exits, of which the second carries what the first left. @type {Move} */
async function reduceTwice(day, strategy, symbol) {
  if (netOf(day, strategy, symbol).isZero) {
    day.move = await increase(day, strategy, symbol);
    await day.settleAndCompare();
  }
  day.move = await reduce(day, strategy, symbol, day.random.between(0.05, 0.4).toFixed(3), false);
  await day.settleAndCompare();
  return `${day.move}, then ${await reduce(day, strategy, symbol, day.random.between(0.05, 0.4).toFixed(3), false)}`;
}

/** @type {Move} */
const closeAll = async (day, strategy, symbol) => await reduce(day, strategy, symbol, '1', true);

/** An order that opens or reverses fills in parts; its rest is cancelled. @type {Move} */
const tradeInParts = async (day, strategy, symbol) =>
  await orderInParts(day, strategy, symbol, {
    side: day.random.pick(SIDES),
    amount: drawAmount(day, symbol),
  });

/** @type {Move} */
async function reverseInParts(day, strategy, symbol) {
  const net = netOf(day, strategy, symbol);
  if (net.isZero) return await tradeInParts(day, strategy, symbol);
  const amount = net.absolute.plus(drawAmount(day, symbol));
  return await orderInParts(day, strategy, symbol, { side: reducingSide(net), amount });
}

/** An order that the product did not place closes or reverses the position; what it opens belongs to no strategy. @type {Move} */
async function tradeElsewhere(day, strategy, symbol) {
  const net = netOf(day, strategy, symbol);
  const side = net.isZero ? day.random.pick(SIDES) : reducingSide(net);
  const { step } = day.parts.replay.pair(symbol);
  const share = day.random.pick(['0.5', '1', '1.4']);
  const amount = net.isZero ? drawAmount(day, symbol) : net.absolute.times(exact(share)).ceilTo(step);
  const isAccepted = await atVenue(day, strategy.account, symbol, side, amount);
  return `the leader ${side === 'BUY' ? 'buys' : 'sells'} ${amount} ${symbol} at the exchange${isAccepted ? '' : ', which refuses it'}`;
}

/** @param {Day} day @param {import('./participants.mjs').Account} account @param {string} symbol @param {'BUY' | 'SELL'} side @param {Fraction} amount */
async function atVenue(day, account, symbol, side, amount) {
  const id = symbol.replace(/:.*/, '').replace('/', '');
  const terms = { symbol: id, side, quantity: String(amount), isPerpetual: true };
  return await tradeAtVenue(day.venue.url, account.credentials, terms);
}

/** The book has little at the leader's price, and the rest beyond the bound of most copiers. @type {Move} */
async function tradeThin(day, strategy, symbol) {
  const side = day.random.pick(SIDES);
  const { tick, step } = day.parts.replay.pair(symbol);
  const last = exact(day.mids.get(symbol) ?? 0);
  const amount = drawAmount(day, symbol);
  const sign = exact(side === 'BUY' ? '1' : '-1');
  const priceAt = (/** @type {string} */ share) =>
    String(last.times(exact('1').plus(sign.times(exact(share)))).floorTo(tick));
  const far = [[priceAt('-0.005'), '500']];
  const near = [
    [priceAt('0'), String(amount.times(exact('1.3')).ceilTo(step))],
    [priceAt('0.0055'), '5000'],
  ];
  await day.venue.setBook(
    /** @type {any} */ (
      side === 'BUY' ? { symbol, bids: far, asks: near } : { symbol, bids: near, asks: far }
    ),
  );
  await untilBookIsRead(day, symbol);
  day.oddBooks.add(symbol);
  const move = await trade(day, strategy, symbol, { side, amount });
  day.bookMid = await day.venue.bookMid(symbol);
  return `${move} in a thin book`;
}

/** The user of copiers trades by hand on their account, where several copiers may have lots on both sides. @type {Move} */
async function tradeByHand(day, strategy, symbol) {
  const { account, name } = drawCopierOf(day, strategy);
  const side = day.random.pick(SIDES);
  const amount = drawAmount(day, symbol);
  const { id } = await day.parts.participants.api.post('/v1/trades', {
    exchange_account_id: account.id,
    trade_pair_id: day.parts.replay.pair(symbol).id,
    type: 'MARKET',
    side,
    amount: String(amount),
  });
  await untilFilled(day, id, amount);
  return `${name}'s user ${side === 'BUY' ? 'buys' : 'sells'} ${amount} ${symbol} by hand`;
}

/** The positions in a contract pay or receive funding. @type {Move} */
async function payFunding(day, _strategy, symbol) {
  const rate = day.random.between(-0.002, 0.002).toFixed(6);
  await day.venue.admin('POST', 'funding', { symbol, rate });
  return `a funding of ${symbol} with the rate ${rate}`;
}

/** @param {Day} day @param {import('./participants.mjs').Account} account @param {string} symbol */
async function deleverage(day, account, symbol) {
  const { positions } = await day.venue.ledger(account.credentials);
  if (!positions.some((/** @type {any} */ position) => position.symbol === symbol)) return undefined;
  await day.venue.admin('POST', 'adl', { api_key: account.credentials.api_key, symbol });
  return `${account.name} is deleveraged in ${symbol}`;
}

/** @type {Move} */
const deleverageLeader = async (day, strategy, symbol) =>
  (await deleverage(day, strategy.account, symbol)) ?? (await increase(day, strategy, symbol));

/** @type {Move} */
const deleverageCopier = async (day, strategy, symbol) =>
  (await deleverage(day, drawCopierOf(day, strategy).account, symbol)) ??
  (await increase(day, strategy, symbol));

/**
 * The mark price moves until the exchange liquidates a part of a leader's position, and back. The last price stays.
 *
 * @type {Move}
 */
async function liquidateLeader(day) {
  const strategy = day.parts.participants.strategies.at(-1);
  const symbol = 'SOL/USDT:USDT';
  if (strategy === undefined) return 'nothing';
  const last = exact(day.mids.get(symbol) ?? 0);
  const ledger = async () => await day.venue.ledger(strategy.account.credentials);
  const { step: amountStep, tick, minNotional } = day.parts.replay.pair(symbol);
  // A position above the first tier of maintenance margins is reduced tier by tier.
  const wallet = exact((await ledger()).futures_balances.USDT.wallet);
  const size = wallet.times(exact('3')).over(last).floorTo(amountStep);
  const net = netOf(day, strategy, symbol);
  const side = day.random.pick(SIDES);
  const missing = side === 'BUY' ? size.minus(net) : size.plus(net);
  // The strategy opens the oldest part, which is closed first; its leverage comes from what the user trades at the exchange.
  const own = least(missing, exact('6000').over(last).floorTo(amountStep));
  // The position may already be almost as large as it has to be.
  if (own.isPositive && !own.times(last).isBelow(minNotional)) {
    day.move = await trade(day, strategy, symbol, { side, amount: own });
    await day.settleAndCompare();
  }
  const rest = missing.minus(own);
  // The book that the driver sets is deep enough for it, and the price stays.
  const [bid, ask] = ['0.9999', '1.0001'].map((share) => String(last.times(exact(share)).floorTo(tick)));
  const depth = '100000';
  await day.venue.setBook({ symbol, bids: [[bid ?? '', depth]], asks: [[ask ?? '', depth]] });
  if (rest.isPositive && (await atVenue(day, strategy.account, symbol, side, rest))) {
    day.move = `${strategy.account.name} trades ${rest} ${symbol} at the exchange`;
    await day.settleAndCompare();
  }
  let mark = last;
  // In small steps, only a part of the position is liquidated, and the account keeps enough for further moves.
  for (let step = 1; step <= LIQUIDATION_STEPS; step += 1) {
    const change = exact((step / 1_000).toFixed(3));
    mark = last.times(side === 'BUY' ? exact('1').minus(change) : exact('1').plus(change)).floorTo(tick);
    const before = (await ledger()).liquidations.length;
    await day.venue.moveTo(symbol, String(last), String(mark));
    day.parts.replay.signed.setMark(symbol, mark);
    const after = await ledger();
    recordMargin(day, strategy.account, after);
    if (after.liquidations.length > before) break;
  }
  await day.venue.moveTo(symbol, String(last));
  day.parts.replay.signed.setMark(symbol, last);
  const { liquidations } = await ledger();
  return `${strategy.account.name} is liquidated in ${symbol} at a mark price of ${mark}; ${liquidations.length} liquidations so far`;
}

/** @type {Move} */
async function moveMarket(day, _strategy, symbol) {
  const before = day.mids.get(symbol) ?? 0;
  const isLow = before < (day.startMids.get(symbol) ?? 0) * 0.97;
  const after = before * (isLow ? day.random.between(1.03, 1.08) : day.random.between(0.92, 0.97));
  await untilBookIsRead(day, symbol);
  await day.moveTo(symbol, after);
  await day.recordEquities();
  return `${symbol} moves from ${before} to ${after.toFixed(2)}`;
}

/** @type {readonly [number, Move][]} how often a deck contains each move */
export const PERPETUAL_MOVES = [
  [2, tradeRandomly],
  [2, increase],
  [2, reverse],
  [1, reducePart],
  [1, reduceTwice],
  [1, closeAll],
  [1, tradeInParts],
  [1, reverseInParts],
  [1, tradeElsewhere],
  [1, tradeThin],
  [1, tradeByHand],
  [1, closeLot],
  [1, payFunding],
  [1, deleverageLeader],
  [1, deleverageCopier],
  [1, liquidateLeader],
  [1, moveMarket],
  [1, stopCopier],
  [1, startCopier],
  [1, editCopier],
];
