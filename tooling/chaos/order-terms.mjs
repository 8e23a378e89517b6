/**
 * Draws the terms of orders.
 *
 * @typedef {import('./random.mjs').Random} Random
 * @typedef {{ side: 'BUY' | 'SELL', amount: string, type: 'MARKET' | 'LIMIT', price?: string, reduce_only?: boolean }} Terms
 */

/** The prices in USDT at which the markets of the paper exchange begin. */
export const PRICES = { BTC: 60_000, ETH: 3_000, SOL: 150 };

/** @param {any} pair @param {Random} random @returns {Terms} */
export function drawSpotOrder(pair, random) {
  const side = random.happens(0.35) ? 'SELL' : 'BUY';
  // Each copier can copy a third of the least amount.
  const amount = amountOf(pair, random, { min: 150, max: 900 });
  return { side, amount, ...kindOf(pair, side, random) };
}

/**
 * Returns a random amount whose value lies in a range of the quote currency.
 *
 * @param {any} pair
 * @param {Random} random
 * @param {{ min: number, max: number }} values
 */
export function amountOf({ base, trading_type }, random, { min, max }) {
  const price = PRICES[/** @type {keyof typeof PRICES} */ (base)];
  const spotDigits = base === 'BTC' ? 5 : base === 'ETH' ? 4 : 3;
  return (random.between(min, max) / price).toFixed(trading_type === 'spot' ? spotDigits : 3);
}

/**
 * @param {any} pair
 * @param {'BUY' | 'SELL'} side
 * @param {Random} random
 * @returns {Pick<Terms, 'type' | 'price'>}
 */
export function kindOf({ base }, side, random) {
  if (random.happens(0.7)) return { type: 'MARKET' };
  // The price lies far from the book, lies near it, or crosses it.
  const distance = random.pick([-0.02, -0.0005, 0.01]) * (side === 'SELL' ? -1 : 1);
  const price = PRICES[/** @type {keyof typeof PRICES} */ (base)] * (1 + distance);
  return { type: 'LIMIT', price: base === 'BTC' ? price.toFixed(1) : price.toFixed(2) };
}
