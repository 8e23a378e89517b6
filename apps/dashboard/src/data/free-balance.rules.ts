import type { Trade } from '@trading-automation/sdk';
import { Exact, largestOf } from '../format/decimals';

type OpenOrder = Pick<
  Trade<'string'>,
  'side' | 'symbol' | 'remaining_amount' | 'price' | 'stop_price' | 'average_price'
>;

/**
 * Returns the balance of each asset less what open orders hold. It is an estimate: the API knows the exact free balance,
 * and refuses an order that exceeds it. The margin that orders on perpetuals hold is not known here and not subtracted.
 */
export function freeBalances(
  balance: Readonly<Record<string, string>>,
  openOrders: readonly OpenOrder[],
): Record<string, string> {
  const free = new Map(Object.entries(balance).map(([asset, amount]) => [asset, new Exact(amount)]));
  for (const order of openOrders) {
    if (order.symbol.includes(':')) continue;
    const { asset, amount } = heldBy(order);
    const left = (free.get(asset) ?? new Exact(0)).minus(amount);
    free.set(asset, largestOf(left, 0));
  }
  return Object.fromEntries([...free].map(([asset, amount]) => [asset, amount.toFixed()]));
}

function heldBy({ side, symbol, remaining_amount, price, stop_price, average_price }: OpenOrder) {
  const [base = '', quote = ''] = symbol.split('/');
  if (side === 'SELL') return { asset: base, amount: new Exact(remaining_amount) };
  const each = price ?? stop_price ?? average_price ?? '0';
  return { asset: quote, amount: new Exact(remaining_amount).times(each) };
}
