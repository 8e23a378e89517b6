import type { Analytics } from '@trading-automation/sdk';

type TradedPair = Pick<Analytics['by_pair'][number], 'trade_pair_id' | 'symbol' | 'trading_type'>;

/** The pairs with results, as the options of a filter. A symbol that several of them have is named with its trading type. */
export function pairOptions(
  pairs: readonly TradedPair[],
): { readonly value: string; readonly label: string }[] {
  return pairs.map(({ trade_pair_id, symbol, trading_type }) => {
    const isShared = pairs.some((other) => other.symbol === symbol && other.trade_pair_id !== trade_pair_id);
    return { value: trade_pair_id, label: isShared ? `${symbol}, ${trading_type}` : symbol };
  });
}
