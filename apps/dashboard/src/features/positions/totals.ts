import type { LotRow } from '../../data/open-lots';
import { sumOf } from '../../format/decimals';
import { quoteOf } from '../../format/money';

/** The lots that are worth their price. A perpetual is only a claim to its result, whatever its notional is. */
export const ownedLots = <T extends Pick<LotRow, 'trading_type'>>(lots: readonly T[]): readonly T[] =>
  lots.filter(({ trading_type }) => trading_type !== 'perpetual');

/** The open result by quote currency. Lots without a price do not count. */
export function resultByQuote(lots: readonly LotRow[]): { readonly asset: string; readonly value: string }[] {
  const quotes = [...new Set(lots.map(({ symbol }) => quoteOf(symbol)))];
  return quotes.map((asset) => ({
    asset,
    value: sumOf(
      lots.flatMap(({ symbol, unrealized_pnl }) => (quoteOf(symbol) === asset ? (unrealized_pnl ?? []) : [])),
    ),
  }));
}
