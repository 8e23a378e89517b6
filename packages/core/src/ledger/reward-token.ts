import type { World } from '@trading-automation/contracts';

export interface RewardToken {
  readonly currency: string;
  /** The network on which the token is paid out. */
  readonly network: string;
}

/** The token of each world. All processes must agree on it, so it is not configurable. */
export const REWARD_TOKENS: Readonly<Record<World, RewardToken>> = {
  test: { currency: 'SVC-TEST', network: 'sepolia' },
  live: { currency: 'SVC', network: 'ethereum' },
};
