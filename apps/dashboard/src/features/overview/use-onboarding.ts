'use client';
import { useState } from 'react';
import { anyTradeQuery, useAnyTrade } from '../../data/any-trade';
import { api } from '../../data/api';
import { accountsQuery, strategiesQuery, useAccounts, useStrategies } from '../../data/names';
import { queryOptions, useQuery, useQueryClient } from '../../data/query';
import { useServerData } from '../../data/server-data';
import { type OnboardingStep, stepsOf } from './onboarding.rules';
import { useWebhooks, webhooksQuery } from './use-webhooks';

const SETTING = 'dashboard.onboarding';

export interface OnboardingState {
  /** False until it is known, when all steps are done, and when the user has hidden it. */
  readonly isShown: boolean;
  readonly steps: readonly OnboardingStep[];
  readonly isHiding: boolean;
  readonly error: unknown;
  readonly hide: () => Promise<void>;
}

// The list has no failure for a setting that was never set.
const settingsQuery = queryOptions({
  queryKey: ['settings', 'all'],
  queryFn: ({ signal }) => api().settings.list({ limit: 100 }, { signal }).toArray({ limit: 1_000 }),
});
const anyCopierQuery = queryOptions({
  queryKey: ['copiers', 'any'],
  queryFn: async ({ signal }) => (await api().copiers.list({ limit: 1 }, { signal })).data.length,
});

/** The first steps with the product, ticked off by what exists. */
export function useOnboarding(): OnboardingState {
  const queries = useQueryClient();
  const [isHiding, setHiding] = useState(false);
  const [error, setError] = useState<unknown>();
  useServerData([
    settingsQuery,
    accountsQuery,
    strategiesQuery,
    webhooksQuery,
    anyTradeQuery,
    anyCopierQuery,
  ]);
  const settings = useQuery(settingsQuery);
  const accounts = useAccounts().data;
  const strategies = useStrategies().data;
  const webhooks = useWebhooks().data;
  const counts = useAnyTrade().data;
  const copiers = useQuery(anyCopierQuery).data;
  const steps = stepsOf({
    accounts: accounts?.length,
    trades: counts,
    strategies: strategies?.length,
    copiers,
    webhooks: webhooks?.length,
  });
  const stored = settings.data?.find(({ key }) => key === SETTING)?.value;
  const isHidden = Object(stored).hidden === true;
  const hide = async () => {
    setHiding(true);
    setError(undefined);
    try {
      await api().settings.set(SETTING, { hidden: true });
      await queries.invalidateQueries({ queryKey: ['settings'] });
    } catch (failure) {
      setError(failure);
    } finally {
      setHiding(false);
    }
  };
  return {
    isShown: settings.data !== undefined && !isHidden && steps?.some(({ isDone }) => !isDone) === true,
    steps: steps ?? [],
    isHiding,
    error,
    hide,
  };
}
