'use client';
import { useMemo } from 'react';
import { ALL_TIME, useAnalytics } from '../../data/analytics';
import { LATE } from '../../data/query';
import { pairOptions } from '../../data/traded-pairs.rules';
import { RANGE_OPTIONS } from '../../format/ranges';
import type { Filter } from '../../ui/data-table/columns';
import { useOwnerFilters } from '../../ui/data-table/owner-filters';
import { FilterChip } from '../../ui/data-table/toolbar';
import { Field, Input } from '../../ui/field';
import { Segmented } from '../../ui/segmented';
import type { SelectionState } from './use-selection';

const RANGES = [...RANGE_OPTIONS, { value: 'custom' as const, label: 'Custom' }];

/** The range, and the account, strategy and pair. */
export function Filters({ state }: { readonly state: SelectionState }) {
  const { selection, change, error } = state;
  const filters = useFilters();
  const choose = (changes: Record<string, string | null>) => void change(changes);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Segmented
        label="Range"
        value={selection.range}
        onChange={(range) => void change({ range })}
        options={RANGES}
      />
      {filters.map((filter) => (
        <FilterChip
          key={filter.name}
          filter={filter}
          value={selection[filter.name as 'strategy_id'] ?? undefined}
          onChange={choose}
        />
      ))}
      {selection.range === 'custom' && (
        <div className="flex w-full flex-wrap items-start gap-3">
          <Field label="First day (UTC)" className="w-44">
            <Input
              type="date"
              value={selection.from ?? ''}
              onChange={({ target }) => void change({ from: target.value || null })}
            />
          </Field>
          <Field label="Last day (UTC)" className="w-44" error={error}>
            <Input
              type="date"
              value={selection.to ?? ''}
              onChange={({ target }) => void change({ to: target.value || null })}
            />
          </Field>
        </div>
      )}
    </div>
  );
}

function useFilters(): readonly Filter[] {
  const owners = useOwnerFilters();
  const pairs = useAnalytics(ALL_TIME, LATE).data?.by_pair;
  return useMemo(() => {
    return [...owners, { name: 'trade_pair_id', label: 'Pair', options: pairOptions(pairs ?? []) }];
  }, [owners, pairs]);
}
