/** The currency of prices and results of a pair: USDT of BTC/USDT. */
export const quoteOf = (symbol: string) => symbol.split('/')[1]?.split(':')[0] ?? '';

/** The asset that a pair trades: BTC of BTC/USDT. */
export const baseOf = (symbol: string) => symbol.split('/')[0] ?? '';
