import { numberOf, ONE, sumOf, unitsOf, valueAt } from './units.mjs';

/** The fee of the paper exchange: a thousandth. */
const FEE_DIVISOR = 1000n;

/**
 * One execution. `fee` is in quote currency.
 *
 * @typedef {{ id: string, at: number, price: bigint, amount: bigint, fee: bigint, liquidity: 'MAKER' | 'TAKER' }} Fill
 *
 * @typedef {{
 *   id: string, at: number, side: 'BUY' | 'SELL', type: 'LIMIT' | 'MARKET', timeInForce: 'GTC' | 'IOC' | 'FOK',
 *   intent: 'OPEN' | 'REDUCE' | 'CLOSE', price: bigint | null, amount: bigint, fills: readonly Fill[],
 *   status: 'FILLED' | 'CANCELLED' | 'FAILED', endedAt: number, cancelReason?: string, failure?: Failure,
 * }} Order `endedAt`: when the order was filled, cancelled or refused
 *
 * @typedef {{ code: string, message: string }} Failure
 *
 * @typedef {{
 *   random: import('./random.mjs').Random, pair: import('./market.mjs').Pair, at: number, price: number, amount: bigint,
 *   intent: Order['intent'],
 * }} Ask what an order is drawn from; `price` is the market price at `at`
 */

/** @param {Order} order */
export const filledAmount = ({ fills }) => sumOf(fills.map(({ amount }) => amount));

/** Returns the sum of price × amount. @param {Order} order */
export const costOf = ({ fills }) => sumOf(fills.map(({ price, amount }) => valueAt(price, amount)));

/** @param {Order} order */
export const feesOf = ({ fills }) => sumOf(fills.map(({ fee }) => fee));

/** Returns the side of an intent on spot. @param {Order['intent']} intent @returns {Order['side']} */
export const sideOf = (intent) => (intent === 'OPEN' ? 'BUY' : 'SELL');

/**
 * Draws an order that is filled completely, with up to `fillsMax` fills.
 *
 * @param {Ask & { fillsMax?: number, isMarket?: boolean }} ask
 * @returns {Order}
 */
export function filledOrder({ fillsMax = 1, isMarket = false, ...ask }) {
  const { random, pair, at, amount, intent } = ask;
  const isLimit = !isMarket && random.chance(0.6);
  const liquidity = isLimit && random.chance(0.5) ? 'MAKER' : 'TAKER';
  const fills = drawFills(
    { ...ask, liquidity },
    splitAmount(random, pair, amount, random.integer(1, fillsMax)),
  );
  return {
    ...head(ask),
    type: isLimit ? 'LIMIT' : 'MARKET',
    timeInForce: 'GTC',
    price: isLimit ? limitOf(pair, intent, fills) : null,
    amount,
    fills,
    status: 'FILLED',
    endedAt: fills.at(-1)?.at ?? at,
  };
}

/**
 * Draws an order of which only a part is filled before it ends.
 *
 * @param {Ask} ask
 * @returns {Order}
 */
export function partlyFilledOrder(ask) {
  const { random, pair, at, amount, intent } = ask;
  const part = unitsOf(numberOf(amount) * random.between(0.25, 0.8), pair.stepDecimals);
  const fills = drawFills({ ...ask, liquidity: 'TAKER' }, [part]);
  const isIoc = random.chance(0.5);
  return {
    ...head(ask),
    type: 'LIMIT',
    timeInForce: isIoc ? 'IOC' : 'GTC',
    price: limitOf(pair, intent, fills),
    amount,
    fills,
    status: 'CANCELLED',
    cancelReason: isIoc ? 'IOC_REMAINDER' : 'USER',
    endedAt: isIoc ? (fills[0]?.at ?? at) : at + random.between(600_000, 7_200_000),
  };
}

/**
 * Draws an order that ends without a fill.
 *
 * @param {Ask & { cancelReason?: string, failure?: Failure }} ask
 * @returns {Order}
 */
export function unfilledOrder({ cancelReason, failure, ...ask }) {
  const { random, pair, at, price, amount, intent } = ask;
  const isAtOnce = failure !== undefined || cancelReason === 'FOK_UNFILLED';
  const distance = random.between(0.004, 0.03) * (intent === 'OPEN' ? -1 : 1);
  return {
    ...head(ask),
    type: 'LIMIT',
    timeInForce: cancelReason === 'FOK_UNFILLED' ? 'FOK' : 'GTC',
    price: unitsOf(price * (1 + distance), pair.tickDecimals),
    amount,
    fills: [],
    status: failure === undefined ? 'CANCELLED' : 'FAILED',
    endedAt: at + (isAtOnce ? random.between(40, 180) : random.between(900_000, 20 * 3_600_000)),
    ...(cancelReason === undefined ? {} : { cancelReason }),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** @param {Ask} ask */
const head = ({ random, at, intent }) => ({ id: random.uuid(at), at, intent, side: sideOf(intent) });

/**
 * @param {Ask & { liquidity: Fill['liquidity'] }} ask
 * @param {readonly bigint[]} amounts
 * @returns {Fill[]}
 */
function drawFills({ random, pair, at, price, liquidity }, amounts) {
  let time = at + (liquidity === 'MAKER' ? random.between(20_000, 1_500_000) : random.between(35, 160));
  return amounts.map((amount) => {
    time += random.between(1, 40);
    return newFill({
      random,
      pair,
      at: time,
      price: price * (1 + random.normal() * 0.0001),
      amount,
      liquidity,
    });
  });
}

/**
 * @param {Pick<Ask, 'random' | 'pair' | 'at' | 'price' | 'amount'> & { liquidity: Fill['liquidity'] }} ask
 * @returns {Fill}
 */
export function newFill({ random, pair, at, price, amount, liquidity }) {
  const units = unitsOf(price, pair.tickDecimals);
  const time = Math.floor(at);
  const fee = valueAt(units, amount) / FEE_DIVISOR;
  return { id: random.uuid(time), at: time, price: units, amount, fee, liquidity };
}

/**
 * @param {import('./random.mjs').Random} random
 * @param {import('./market.mjs').Pair} pair
 * @param {bigint} amount
 * @param {number} parts
 */
function splitAmount(random, pair, amount, parts) {
  const step = ONE / 10n ** BigInt(pair.stepDecimals);
  const amounts = [];
  let left = amount;
  for (let part = 1; part < parts; part++) {
    const share = unitsOf(numberOf(left) * random.between(0.3, 0.6), pair.stepDecimals);
    if (share < step || left - share < step) break;
    amounts.push(share);
    left -= share;
  }
  return [...amounts, left];
}

/**
 * Returns a limit that allows the fills: a tick beyond the worst price.
 *
 * @param {import('./market.mjs').Pair} pair
 * @param {Order['intent']} intent
 * @param {readonly Fill[]} fills
 */
function limitOf({ tickDecimals }, intent, fills) {
  const prices = fills.map(({ price }) => price).sort((a, b) => (a < b ? -1 : 1));
  const tick = ONE / 10n ** BigInt(tickDecimals);
  return intent === 'OPEN' ? (prices.at(-1) ?? 0n) + tick : (prices[0] ?? 0n) - tick;
}
