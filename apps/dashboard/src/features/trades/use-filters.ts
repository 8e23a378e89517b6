'use client';
import { useMemo } from 'react';
import type { OpenOrder } from '../../data/open-orders';
import type { Filter } from '../../ui/data-table/columns';
import { useOwnerFilters } from '../../ui/data-table/owner-filters';
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
