import type { Pair } from './pair';

export interface PairsRequest {
  readonly search?: string | undefined;
  readonly exchange?: string | undefined;
  readonly trading_type?: string | undefined;
  readonly sort?: string | undefined;
  readonly order?: string | undefined;
}

const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Returns the pairs that match, in the order that was asked for. */
export function listPairs(pairs: readonly Pair[], request: PairsRequest): Pair[] {
  const search = plain(request.search ?? '');
  const direction = request.order === 'desc' ? -1 : 1;
  const field = request.sort === 'exchange' ? 'exchange' : 'symbol';
  return pairs
    .filter(
      ({ exchange, trading_type, symbol }) =>
        (request.exchange === undefined || exchange === request.exchange) &&
        (request.trading_type === undefined || trading_type === request.trading_type) &&
        plain(symbol).includes(search),
    )
    .sort((a, b) => direction * a[field].localeCompare(b[field]) || a.symbol.localeCompare(b.symbol));
}

/** The different values of a field, for a filter. */
export function valuesOf(pairs: readonly Pair[], field: 'exchange' | 'trading_type'): string[] {
  return [...new Set(pairs.map((pair) => pair[field]))].sort();
}
