'use client';
import { useMemo } from 'react';
import { useAccounts, useStrategies } from '../../data/names';
import type { OpenOrder } from '../../data/open-orders';
import type { Filter } from '../../ui/data-table/columns';
import { wordsOf } from '../../ui/status';

const STATUS: Filter = {
  name: 'status',
  label: 'Status',
  options: ['PENDING', 'PARTIALLY_FILLED', 'FILLED', 'CANCELLED', 'FAILED'].map((value) => ({
    value,
    label: wordsOf(value),
  })),
};
const SIDE: Filter = {
  name: 'side',
  label: 'Side',
  options: [
    { value: 'BUY', label: 'Buy' },
    { value: 'SELL', label: 'Sell' },
  ],
};

function useOwnerFilters(): readonly Filter[] {
  const accounts = useAccounts().data;
  const strategies = useStrategies().data;
  return useMemo(
    () => [
      {
        name: 'exchange_account_id',
        label: 'Account',
        options: (accounts ?? []).map(({ id, account_name }) => ({ value: id, label: account_name })),
      },
      {
        name: 'strategy_id',
        label: 'Strategy',
        options: (strategies ?? []).map(({ id, name }) => ({ value: id, label: name })),
      },
    ],
    [accounts, strategies],
  );
}

/** The filters of all trades: those that the API has. */
export function useTradeFilters(): readonly Filter[] {
  const owners = useOwnerFilters();
  return useMemo(() => [STATUS, SIDE, ...owners], [owners]);
}

/** The filters of open orders. All of them are loaded, so that they can be filtered by pair, too. */
export function useOrderFilters(orders: readonly OpenOrder[]): readonly Filter[] {
  const owners = useOwnerFilters();
  return useMemo(() => {
    const symbols = [...new Set(orders.map(({ symbol }) => symbol))].sort();
    const pairs = symbols.map((symbol) => ({ value: symbol, label: symbol }));
    return [{ name: 'symbol', label: 'Pair', options: pairs }, SIDE, ...owners];
  }, [orders, owners]);
}
