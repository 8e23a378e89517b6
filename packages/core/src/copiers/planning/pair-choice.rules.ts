/**
 * Chooses the pair on which a copier copies a pair of its strategy. Pure.
 *
 * 1. The candidates are, in this order: the pair that the copier's map names; the pair with the same symbol; the pairs
 *    with the same base whose quote currency is in the same group of aliases, in the order of the group.
 * 2. A perpetual's settlement currency is exchanged like its quote currency. If the candidates differ in both, the order
 *    of the quote currencies comes first.
 * 3. The copier uses the first candidate that its exchange offers and that is active.
 * 4. A dated contract has no aliases, because its symbol contains the expiry.
 * 5. Only pairs of the strategy's trading type are offered to `choosePair`, so spot is never copied to a perpetual.
 */
import { assetsOfSymbol, type QuoteAliases, type SymbolMap } from '@trading-automation/contracts';

export interface PairSettings {
  readonly quoteAliases: QuoteAliases;
  /** Only the entry of the strategy's symbol is needed. */
  readonly symbolMap: SymbolMap;
}

/** Returns the symbols of the pairs that may be used instead of `symbol`, in order of preference, each once. */
export function candidateSymbols(
  symbol: string,
  { quoteAliases, symbolMap }: PairSettings,
): readonly string[] {
  const mapped = Object.hasOwn(symbolMap, symbol) ? symbolMap[symbol] : undefined;
  return [
    ...new Set([...(mapped === undefined ? [] : [mapped]), symbol, ...aliasSymbols(symbol, quoteAliases)]),
  ];
}

/** Returns the first candidate among the pairs that the exchange offers; null if it offers none of them. */
export function choosePair<P>(candidates: readonly string[], offered: ReadonlyMap<string, P>): P | null {
  for (const symbol of candidates) {
    const pair = offered.get(symbol);
    if (pair !== undefined) return pair;
  }
  return null;
}

/** Returns the currencies that count as the same as this one, itself included, in the order of their group. */
export const aliasesOf = (currency: string, groups: QuoteAliases): readonly string[] =>
  groups.find((group) => group.includes(currency)) ?? [currency];

function aliasSymbols(symbol: string, groups: QuoteAliases): string[] {
  if (groups.length === 0) return [];
  const { base, quote, settle } = assetsOfSymbol(symbol);
  const quotes = aliasesOf(quote, groups);
  if (symbol === `${base}/${quote}`) return quotes.map((alias) => `${base}/${alias}`);
  if (symbol !== `${base}/${quote}:${settle}`) return [];
  const settlements = aliasesOf(settle, groups);
  return quotes.flatMap((alias) => settlements.map((other) => `${base}/${alias}:${other}`));
}
