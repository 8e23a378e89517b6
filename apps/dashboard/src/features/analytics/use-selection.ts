'use client';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useMemo } from 'react';
import { INTERVALS, queryOf, SELECTABLE_RANGES } from './selection.rules';

const PARSERS = {
  range: parseAsStringLiteral(SELECTABLE_RANGES).withDefault('90d'),
  from: parseAsString,
  to: parseAsString,
  exchange_account_id: parseAsString,
  strategy_id: parseAsString,
  trade_pair_id: parseAsString,
  interval: parseAsStringLiteral(INTERVALS).withDefault('day'),
};

/** The selection, kept in the address of the page. */
export function useSelection() {
  const [selection, change] = useQueryStates(PARSERS, { history: 'replace' });
  const { query, error } = useMemo(() => queryOf(selection, Date.now()), [selection]);
  return { selection, change, query, error };
}

export type SelectionState = ReturnType<typeof useSelection>;
