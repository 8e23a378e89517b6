import { tradeAtVenue } from '../chaos/venue.mjs';
import { exact } from './fraction.mjs';
import { drawSizing } from './settings.mjs';

/**
 * The moves of the leaders and of the copiers' user. Each returns what it did, in words for the report of a difference.
 *
 * @typedef {import('./day.mjs').Day} Day
 * @typedef {import('./participants.mjs').Strategy} Strategy
 * @typedef {(day: Day, strategy: Strategy, symbol: string) => Promise<string>} Move
 */

/** @type {readonly [number, Move][]} the weight of each move */
const MOVES = [
  [30, buy],
  [10, buyInParts],
  [24, sellPart],
  [12, sellAll],
  [4, sellAtVenue],
  [5, buyThin],
  [3, buyOffMarket],
  [4, stopCopier],
  [4, startCopier],
  [3, editCopier],
  [3, deposit],
  [3, sellByHand],
  [1, restart],
];

/** Plays one random move. @param {Day} day */
export async function playStep(day) {
  const { random } = day;
  const strategy = random.pick(day.parts.participants.strategies);
  const symbol = random.pick(['BTC/USDT', 'BTC/USDT', 'ETH/USDT']);
  for (const each of ['BTC/USDT', 'ETH/USDT']) {
    await day.moveTo(each, (day.mids.get(each) ?? 0) * random.between(0.9988, 1.0012));
  }
  // The third asset of fees moves seldom, and then the product gets time to receive its price.
  if (random.happens(0.08)) {
    await day.moveTo('SOL/USDT', 150 * random.between(0.8, 1.2));
    await new Promise((resolve) => setTimeout(resolve, 3_000));
  }
  await day.recordEquities();
  await day.venue.admin('PUT', 'weather', random.happens(0.3) ? { partial_fill_rate: 0.5 } : {});
  return await draw(random)(day, strategy, symbol);
}

/** @param {import('../chaos/random.mjs').Random} random @returns {Move} */
function draw(random) {
  let left = random.between(
    0,
    MOVES.reduce((total, [weight]) => total + weight, 0),
  );
  for (const [weight, move] of MOVES) {
    left -= weight;
    if (left < 0) return move;
  }
  return buy;
}

/** Returns an amount of a random value, rounded down to the step. @param {Day} day @param {string} symbol */
function drawAmount(day, symbol) {
  const value = exact(day.random.pick([20, 60, 200, 700, 1_500]) * day.random.between(0.8, 1.3));
  const price = exact(day.mids.get(symbol) ?? 1);
  return value.over(price).floorTo(day.parts.replay.pair(symbol).step);
}

/**
 * @param {Day} day
 * @param {Strategy} strategy
 * @param {string} symbol
 * @param {object} terms
 */
async function order(day, strategy, symbol, terms) {
  return await day.parts.participants.api.post('/v1/trades', {
    exchange_account_id: strategy.account.id,
    trade_pair_id: day.parts.replay.pair(symbol).id,
    strategy_id: strategy.id,
    ...terms,
  });
}

/** Waits until a trade has this filled amount. @param {Day} day @param {string} id @param {import('./fraction.mjs').Fraction} amount */
async function untilFilled(day, id, amount) {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const trade = await day.parts.participants.api.get(`/v1/trades/${id}`);
    if (!exact(trade.filled_amount).isBelow(amount)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  day.report({ problem: 'a trade was not filled', id, amount: String(amount) });
}

/** @type {Move} */
async function buy(day, strategy, symbol) {
  const amount = drawAmount(day, symbol);
  const { id } = await order(day, strategy, symbol, { type: 'MARKET', side: 'BUY', amount: String(amount) });
  await untilFilled(day, id, amount);
  return `the leader buys ${amount} ${symbol}`;
}

/** A resting order fills in two parts; what is left is cancelled. @type {Move} */
async function buyInParts(day, strategy, symbol) {
  const pair = day.parts.replay.pair(symbol);
  const amount = drawAmount(day, symbol);
  const price = exact(day.mids.get(symbol) ?? 0)
    .times(exact('0.9995'))
    .floorTo(pair.tick);
  day.move = `the leader's order for ${amount} ${symbol} at ${price} fills in parts`;
  const { id } = await order(day, strategy, symbol, {
    type: 'LIMIT',
    side: 'BUY',
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
    await day.venue.setBook({
      symbol,
      bids: [[String(below), '50']],
      asks: [
        [String(price), String(part)],
        [String(above), '50'],
      ],
    });
    day.bookMid = below.plus(above).over(exact('2'));
    filled = filled.plus(part);
    await untilFilled(day, id, filled);
    await day.settle();
    await day.compare();
  }
  await day.parts.participants.api.post(`/v1/trades/${id}/cancel`, {}).catch(() => undefined);
  return day.move;
}

/** @param {Day} day @param {string} id */
async function untilAccepted(day, id) {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const trade = await day.parts.participants.api.get(`/v1/trades/${id}`);
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
async function sellPart(day, strategy, symbol) {
  const share = exact(day.random.between(0.1, 0.9).toFixed(3));
  const { step } = day.parts.replay.pair(symbol);
  return await sell(day, strategy, symbol, leaderHolds(day, strategy, symbol).times(share).floorTo(step));
}

/** @type {Move} */
async function sellAll(day, strategy, symbol) {
  return await sell(day, strategy, symbol, leaderHolds(day, strategy, symbol));
}

/** @type {Move} */
async function sellAtVenue(day, strategy, symbol) {
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
async function buyThin(day, strategy, symbol) {
  return await buyFrom(day, strategy, symbol, {
    bid: '0.995',
    asks: [
      ['1', '1.3'],
      ['1.0055', '1000'],
    ],
  });
}

/** The leader's price is far above the middle of the book. @type {Move} */
async function buyOffMarket(day, strategy, symbol) {
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
  await untilBooksAreRead();
  const { id } = await order(day, strategy, symbol, { type: 'MARKET', side: 'BUY', amount: String(amount) });
  await untilFilled(day, id, amount);
  day.bookMid = await day.venue.bookMid(symbol);
  await day.settle();
  await untilBooksAreRead();
  return `the leader buys ${amount} ${symbol} from a book of ${asks.length} levels`;
}

/** @type {Move} */
async function stopCopier(day, strategy) {
  const copier = drawCopierOf(day, strategy);
  const mode = day.random.pick(['PAUSED', 'CLOSE_ONLY']);
  await day.parts.participants.api.post(`/v1/copiers/${copier.id}/stop`, { mode });
  await day.refresh(copier);
  return `${copier.name} is stopped: ${mode}`;
}

/** @type {Move} */
async function startCopier(day, strategy) {
  const { copiers, api } = day.parts.participants;
  const stopped = copiers.filter(({ id }) => day.states.get(id)?.status !== 'ACTIVE');
  for (const copier of stopped) {
    await api.post(`/v1/copiers/${copier.id}/start`, {});
    await day.refresh(copier);
  }
  return `${stopped.map(({ name }) => name).join(', ') || strategy.id} started`;
}

/** @type {Move} */
async function editCopier(day, strategy) {
  const copier = drawCopierOf(day, strategy);
  const { api } = day.parts.participants;
  const sizing = drawSizing(day.random);
  await api.patch(`/v1/copiers/${copier.id}`, { sizing });
  await day.refresh(copier);
  return `${copier.name} gets ${JSON.stringify(sizing)}`;
}

/** @type {Move} */
async function deposit(day, strategy) {
  const { account, name } = drawCopierOf(day, strategy);
  const amount = day.random.between(10, 5_000).toFixed(2);
  await day.venue.admin('POST', 'deposits', { api_key: account.credentials.api_key, asset: 'USDT', amount });
  day.parts.replay.addBalance(account.id, 'USDT', exact(amount));
  return `${amount} USDT are deposited for ${name}`;
}

/** The copier's user sells a part of what the copier holds. @type {Move} */
async function sellByHand(day, strategy, symbol) {
  const { replay, participants } = day.parts;
  const alone = participants.copiers.filter(
    ({ account }) => participants.copiers.filter((other) => other.account.id === account.id).length === 1,
  );
  const { step, id: pairId } = replay.pair(symbol);
  for (const { account, name } of alone) {
    const held = replay.book(account.id, symbol).lots.reduce((all, { open }) => all.plus(open), exact('0'));
    const amount = held.times(exact('0.4')).floorTo(step);
    if (amount.times(exact(day.mids.get(symbol) ?? 0)).isBelow(exact('11'))) continue;
    const { id } = await participants.api.post('/v1/trades', {
      exchange_account_id: account.id,
      trade_pair_id: pairId,
      type: 'MARKET',
      side: 'SELL',
      amount: String(amount),
    });
    await untilFilled(day, id, amount);
    return `${name}'s user sells ${amount} ${symbol} by hand`;
  }
  return await buy(day, strategy, symbol);
}

/** @type {Move} */
async function restart(day) {
  const name = day.random.pick(['trading-worker', 'rest-api']);
  await day.product.kill(name);
  return `${name} was killed`;
}

/** @param {Day} day @param {Strategy} strategy */
function drawCopierOf(day, strategy) {
  const { copiers } = day.parts.participants;
  return day.random.pick(copiers.filter((copier) => copier.strategy.id === strategy.id));
}

/** Rule 31 lets the product use a book for up to 2 s, so a book of another shape is set at a distance from other signals. */
const untilBooksAreRead = () => new Promise((resolve) => setTimeout(resolve, 2_200));
