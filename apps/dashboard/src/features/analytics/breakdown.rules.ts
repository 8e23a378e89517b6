/** Results by strategy and by pair, as bars. */
import { Exact, total } from '../../format/decimals';

export interface GroupResult {
  readonly currency: string;
  readonly trade_count: number;
  readonly closed_count: number;
  readonly win_rate: string | null;
  readonly net_pnl: string;
  readonly fees: string;
  readonly volume: string;
}

export interface NamedResult extends GroupResult {
  readonly name: string;
}

interface Totals extends Omit<GroupResult, 'currency'> {
  readonly currency: string | null;
}

/**
 * Returns what the groups do not cover, such as trades without a strategy; undefined if they cover every trade of the
 * currency. A result in another currency is in no total.
 */
export function restOf(
  totals: Totals,
  groups: readonly GroupResult[],
  name: string,
): NamedResult | undefined {
  const { currency } = totals;
  if (currency === null) return undefined;
  const members = groups.filter((group) => group.currency === currency);
  const others = groups.filter((group) => group.currency !== currency);
  const left = (of: 'net_pnl' | 'fees' | 'volume') =>
    new Exact(totals[of]).minus(total(members.map((group) => group[of])));
  const count = (of: 'trade_count' | 'closed_count') =>
    Math.max(0, totals[of] - members.reduce((sum, group) => sum + group[of], 0));
  const volume = left('volume');
  if (volume.lte(0)) return undefined;
  return {
    name,
    currency,
    // The total counts trades of every currency.
    trade_count: Math.max(
      0,
      count('trade_count') - others.reduce((sum, group) => sum + group.trade_count, 0),
    ),
    closed_count: count('closed_count'),
    win_rate: null,
    net_pnl: left('net_pnl').toFixed(),
    fees: left('fees').toFixed(),
    volume: volume.toFixed(),
  };
}

/** Sorts by result, the largest gain first. */
export function sortByResult(results: readonly NamedResult[]): NamedResult[] {
  return [...results].sort((a, b) => new Exact(b.net_pnl).cmp(a.net_pnl));
}
