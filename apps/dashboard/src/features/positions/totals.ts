import type { LotRow } from '../../data/open-lots';
import { sumOf } from '../../format/decimals';
import { quoteOf } from '../../format/money';

type Kind = Pick<LotRow, 'trading_type' | 'side'>;

/** A perpetual is only a claim to its result, whatever its notional is. */
const isPerpetual = ({ trading_type }: Kind) => trading_type === 'perpetual';
/** What a short lot on margin sold is owed. */
const isOwed = (lot: Kind) => lot.side === 'SELL' && !isPerpetual(lot);

/** The lots that are worth their price. */
export const ownedLots = <T extends Kind>(lots: readonly T[]): readonly T[] =>
  lots.filter((lot) => !isPerpetual(lot) && !isOwed(lot));

/** Names the worth of the owned lots, with what it leaves out. */
export function worthLabel(lots: readonly Kind[]): string {
  const without = [
    ...(lots.some(isPerpetual) ? ['perpetuals'] : []),
    ...(lots.some(isOwed) ? ['short lots'] : []),
  ];
  return without.length === 0 ? 'Worth at the last prices' : `Worth without ${without.join(' and ')}`;
}

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
