/** Open lots by account and pair. */
import { Exact, isZero, sumOf } from '../../format/decimals';
import { lastPriceOf, openRatioOf } from './lot-price.rules';

export interface GroupedLot {
  readonly id: string;
  readonly exchange_account_id: string;
  readonly trade_pair_id: string;
  readonly symbol: string;
  readonly side: string;
  readonly remaining_amount: string;
  readonly remaining_cost: string;
  readonly entry_price: string;
  readonly unrealized_pnl: string | null;
}

export interface LotGroup<L extends GroupedLot> {
  readonly key: string;
  readonly accountId: string;
  readonly pairId: string;
  readonly symbol: string;
  readonly side: string;
  readonly lots: readonly L[];
  readonly amount: string;
  readonly averagePrice: string;
  /** Null if a lot has no price. */
  readonly value: string | null;
  readonly result: string | null;
  /** The result as a share of the cost. */
  readonly ratio: string | null;
  readonly lastPrice: string | null;
}

/** Groups lots by account, pair and side, in the order of accounts and symbols. */
export function groupLots<L extends GroupedLot>(lots: readonly L[]): LotGroup<L>[] {
  const byKey = new Map<string, L[]>();
  for (const lot of lots) {
    const key = `${lot.exchange_account_id} ${lot.symbol} ${lot.side}`;
    byKey.set(key, [...(byKey.get(key) ?? []), lot]);
  }
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([key, members]) => groupOf(key, members));
}

function groupOf<L extends GroupedLot>(key: string, lots: readonly L[]): LotGroup<L>[] {
  const [first] = lots;
  if (first === undefined) return [];
  const amount = sumOf(lots.map((lot) => lot.remaining_amount));
  const bought = lots.map((lot) => new Exact(lot.remaining_amount).times(lot.entry_price).toFixed());
  const cost = sumOf(lots.map((lot) => lot.remaining_cost));
  const results = lots.flatMap((lot) => lot.unrealized_pnl ?? []);
  const result = results.length === lots.length ? sumOf(results) : null;
  const whole = { side: first.side, remaining_amount: amount, remaining_cost: cost, unrealized_pnl: result };
  return [
    {
      key,
      accountId: first.exchange_account_id,
      pairId: first.trade_pair_id,
      symbol: first.symbol,
      side: first.side,
      lots,
      amount,
      averagePrice: isZero(new Exact(amount)) ? '0' : new Exact(sumOf(bought)).div(amount).toFixed(),
      result,
      ratio: openRatioOf(whole),
      lastPrice: lastPriceOf(whole),
      // Buying back a short lot costs its proceeds less its result.
      value:
        result === null
          ? null
          : new Exact(cost).plus(new Exact(result).times(first.side === 'BUY' ? 1 : -1)).toFixed(),
    },
  ];
}
