/** The assets that the symbol of a pair names. */
export interface SymbolAssets {
  readonly base: string;
  readonly quote: string;
  /** The currency of profits and fees: the settlement currency if the symbol names one, otherwise `quote`. */
  readonly settle: string;
}

/**
 * Parses the symbol of a pair: `BASE/QUOTE`, or `BASE/QUOTE:SETTLE` for a market with a separate settlement currency.
 *
 * @throws {RangeError} if the symbol has another form
 */
export function assetsOfSymbol(symbol: string): SymbolAssets {
  const [, base, quote, settle] = SYMBOL.exec(symbol) ?? [];
  if (base === undefined || quote === undefined)
    throw new RangeError(`symbol must be BASE/QUOTE or BASE/QUOTE:SETTLE; got ${symbol}.`);
  return { base, quote, settle: settle ?? quote };
}

/** A dated contract has its expiry after the settlement currency, as in `BTC/USDT:USDT-261225`. */
const SYMBOL = /^([^/:]+)\/([^/:]+)(?::([^/:-]+)(?:-.+)?)?$/;
