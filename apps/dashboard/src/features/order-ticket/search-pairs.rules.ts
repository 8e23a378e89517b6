import type { Pair } from './order.rules';

const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Returns the active pairs whose symbol or exchange has what was typed; those that begin with it come first. */
export function searchPairs(pairs: readonly Pair[], text: string): Pair[] {
  const words = text.trim().split(/\s+/).map(plain).filter(Boolean);
  const first = words[0] ?? '';
  return pairs
    .filter(
      (pair) =>
        pair.is_active && words.every((word) => plain(`${pair.symbol} ${pair.exchange}`).includes(word)),
    )
    .sort((a, b) => rank(a, first) - rank(b, first) || a.symbol.localeCompare(b.symbol));
}

const rank = ({ symbol }: Pair, word: string) => (plain(symbol).startsWith(word) ? 0 : 1);
