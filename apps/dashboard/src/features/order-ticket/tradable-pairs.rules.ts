import type { ExchangeAccount } from '@trading-automation/sdk';
import type { Pair } from './order.rules';

type Account = Pick<ExchangeAccount, 'exchange_name' | 'trading_type' | 'is_active'>;

/**
 * Returns the pairs that an active account of the user can trade: those of its exchange and trading type. Returns all
 * pairs while the accounts are unknown, and if no account can trade any, so that the ticket says what is missing.
 */
export function tradablePairs<P extends Pick<Pair, 'exchange' | 'trading_type'>>(
  pairs: readonly P[],
  accounts: readonly Account[] | undefined,
): readonly P[] {
  const traded = new Set(
    accounts
      ?.filter(({ is_active }) => is_active)
      .map(({ exchange_name, trading_type }) => `${exchange_name} ${trading_type}`),
  );
  const offered = pairs.filter(({ exchange, trading_type }) => traded.has(`${exchange} ${trading_type}`));
  return offered.length === 0 ? pairs : offered;
}
