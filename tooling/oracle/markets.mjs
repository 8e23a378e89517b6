/**
 * The markets on which a day trades.
 *
 * @typedef {'spot' | 'perpetual'} TradingType
 *
 * @typedef {{ prices: [string, number][], symbols: string[], digits: Record<string, number> }} Markets `prices`: at the start;
 *   `symbols`: from which moves draw; `digits`: the decimals of prices, 2 by default
 */

/** @type {Record<TradingType, Markets>} */
export const MARKETS = {
  spot: {
    prices: [
      ['BTC/USDT', 60_000],
      ['ETH/USDT', 3_000],
      ['SOL/USDT', 150],
    ],
    symbols: ['BTC/USDT', 'BTC/USDT', 'ETH/USDT'],
    digits: {},
  },
  perpetual: {
    prices: [
      ['BTC/USDT:USDT', 60_000],
      ['ETH/USDT:USDT', 3_000],
      ['SOL/USDT:USDT', 150],
    ],
    symbols: ['BTC/USDT:USDT', 'ETH/USDT:USDT', 'ETH/USDT:USDT', 'SOL/USDT:USDT'],
    digits: { 'BTC/USDT:USDT': 1 },
  },
};

/** @param {string} symbol */
export const isPerpetual = (symbol) => symbol.includes(':');
