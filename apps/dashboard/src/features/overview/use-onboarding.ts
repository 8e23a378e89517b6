'use client';
import { useState } from 'react';
import { useAnyTrade } from '../../data/any-trade';
import { api } from '../../data/api';
import { useAccounts, useStrategies } from '../../data/names';
import { useQuery, useQueryClient } from '../../data/query';
import { useServerData } from '../../data/server-data';
import { type OnboardingStep, stepsOf } from './onboarding.rules';
import { anyCopierQuery, ONBOARDING_QUERIES, settingsQuery } from './onboarding-queries';
import { useWebhooks } from './use-webhooks';

const SETTING = 'dashboard.onboarding';

export interface OnboardingState {
  /** False until it is known, when all steps are done, and when the user has hidden it. */
  readonly isShown: boolean;
  readonly steps: readonly OnboardingStep[];
  readonly isHiding: boolean;
  readonly error: unknown;
  readonly hide: () => Promise<void>;
}

/** The first steps with the product, ticked off by what exists. */
export function useOnboarding(): OnboardingState {
  const queries = useQueryClient();
  const [isHiding, setHiding] = useState(false);
  const [error, setError] = useState<unknown>();
  useServerData(ONBOARDING_QUERIES);
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
