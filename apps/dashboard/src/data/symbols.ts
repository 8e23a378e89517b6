/** Parts of the symbol of a pair, such as BTC/USDT or BTC/USDT:USDT. */
export const baseOf = (symbol: string): string => symbol.split('/')[0] ?? symbol;
export const quoteOf = (symbol: string): string => symbol.split('/')[1]?.split(':')[0] ?? '';
