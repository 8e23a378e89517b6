import { createRandom } from './random.mjs';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The days before the end on which the exchange stopped listing the pairs that it does not know. */
export const DELISTED_DAYS = 24;

/**
 * A pair with what the simulation needs. `volatility` is the standard deviation of a day's return, and `beta` the share of
 * the market's moves. `price` is the price at the end.
 *
 * @typedef {{
 *   symbol: string, base: string, price: number, tickDecimals: number, stepDecimals: number, volatility: number,
 *   beta: number, isListed: boolean,
 * }} Pair
 */

/** The pairs of the paper exchange, and two that it no longer lists. */
export const PAIRS = [
  { symbol: 'BTC/USDT', price: 60_000, tickDecimals: 2, stepDecimals: 5, volatility: 0.019, beta: 1 },
  { symbol: 'ETH/USDT', price: 3000, tickDecimals: 2, stepDecimals: 4, volatility: 0.024, beta: 1.2 },
  { symbol: 'SOL/USDT', price: 150, tickDecimals: 2, stepDecimals: 3, volatility: 0.031, beta: 1.4 },
  { symbol: 'LINK/USDT', price: 17.42, tickDecimals: 3, stepDecimals: 2, volatility: 0.034, beta: 1.3 },
  { symbol: 'AVAX/USDT', price: 31.87, tickDecimals: 3, stepDecimals: 2, volatility: 0.036, beta: 1.4 },
];

/** The market's return of a day in each of six equal phases. */
const PHASES = [0.004, -0.005, 0.002, 0.006, -0.003, 0.0035];

/**
 * Simulates prices by a random walk with a step of an hour. The walk ends at each pair's price. It depends on the time
 * before the end alone, so that records with different ends look alike.
 *
 * @typedef {ReturnType<typeof createMarket>} Market
 *
 * @param {{ pairs: readonly Pair[], seed: string, end: number, days: number }} options
 */
export function createMarket({ pairs, seed, end, days }) {
  const start = end - days * DAY_MS;
  const firstDay = Math.floor(start / DAY_MS) * DAY_MS;
  const hours = days * 24 + 1;
  const common = createRandom(`${seed}/market`);
  const marketMoves = Array.from({ length: hours }, (_, hour) => {
    const drift = PHASES[Math.floor((hour / hours) * PHASES.length)] ?? 0;
    return drift / 24 + (0.014 / Math.sqrt(24)) * common.normal();
  });
  const walks = new Map(
    pairs.map((pair) => {
      const own = createRandom(`${seed}/${pair.symbol}`);
      const spread = pair.volatility / 2 / Math.sqrt(24);
      let level = 0;
      const levels = marketMoves.map((move) => {
        level += pair.beta * move + spread * own.normal();
        return level;
      });
      return [pair.symbol, { levels, price: pair.price }];
    }),
  );

  /**
   * @param {string} symbol
   * @param {number} at
   */
  function priceAt(symbol, at) {
    const walk = walks.get(symbol);
    if (walk === undefined) throw new RangeError(`the market has no pair ${symbol}`);
    const place = (Math.min(Math.max(at, start), end) - start) / HOUR_MS;
    const levelAt = (/** @type {number} */ position) => {
      const hour = Math.floor(position);
      const before = walk.levels[hour] ?? 0;
      return before + ((walk.levels[hour + 1] ?? before) - before) * (position - hour);
    };
    return walk.price * Math.exp(levelAt(place) - levelAt((end - start) / HOUR_MS));
  }

  return {
    start,
    end,
    priceAt,
    /** The starts of the days, oldest first; the last day contains the end. */
    days: Array.from(
      { length: Math.floor((end - firstDay) / DAY_MS) + 1 },
      (_, day) => firstDay + day * DAY_MS,
    ),
    pairOf: (/** @type {string} */ symbol) => {
      const pair = pairs.find((each) => each.symbol === symbol);
      if (pair === undefined) throw new RangeError(`the market has no pair ${symbol}`);
      return pair;
    },
  };
}
