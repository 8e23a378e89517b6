import type { TradePair } from '@trading-automation/sdk';

type Searchable = Pick<TradePair, 'symbol' | 'exchange' | 'trading_type' | 'is_active'>;

const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Returns the active pairs whose symbol or exchange has what was typed; those that begin with it come first, and spot before margin. */
export function searchPairs<P extends Searchable>(pairs: readonly P[], text: string): P[] {
  const words = text.trim().split(/\s+/).map(plain).filter(Boolean);
  const first = words[0] ?? '';
  return pairs
    .filter(
      (pair) =>
        pair.is_active && words.every((word) => plain(`${pair.symbol} ${pair.exchange}`).includes(word)),
    )
    .sort(
      (a, b) =>
        rank(a, first) - rank(b, first) ||
        a.symbol.localeCompare(b.symbol) ||
        Number(isMargin(a)) - Number(isMargin(b)),
    );
}

/**
 * Returns the active pairs whose symbol begins with what was typed. `isNamed`: those whose whole base asset was typed;
 * otherwise the others.
 */
export function pairsBeginningWith<P extends Searchable>(
  pairs: readonly P[],
  text: string,
  isNamed: boolean,
): P[] {
  const typed = plain(text);
  return searchPairs(pairs, typed).filter(
    ({ symbol }) =>
      plain(symbol).startsWith(typed) && typed.startsWith(plain(symbol.split('/')[0] ?? '')) === isNamed,
  );
}

const isMargin = ({ trading_type }: Searchable) => trading_type === 'margin';
const rank = ({ symbol }: Searchable, word: string) => (plain(symbol).startsWith(word) ? 0 : 1);
