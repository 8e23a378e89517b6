import type { World } from '@trading-automation/contracts';

export interface RewardToken {
  readonly currency: string;
  /** Where it is paid out. */
  readonly network: string;
}

/** The token of each world. All processes must agree on it, hence no configuration. */
export const REWARD_TOKENS: Readonly<Record<World, RewardToken>> = {
  test: { currency: 'SVC-TEST', network: 'sepolia' },
  live: { currency: 'SVC', network: 'ethereum' },
};
