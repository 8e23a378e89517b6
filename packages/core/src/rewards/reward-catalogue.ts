import type { Decimal, RewardBasis, World } from '@trading-automation/contracts';

export type RewardCode = 'SIGN_UP' | 'FIRST_TRADE';

export interface EventRewardType {
  readonly code: RewardCode;
  readonly name: string;
  readonly description: string;
  /** Shown on each reward of this type. */
  readonly reason: string;
  /** The event that grants the reward. */
  readonly event: 'exchange.synced' | 'trade.filled';
  readonly source: 'exchange_account' | 'trade';
}

/**
 * The reward types that events grant. Each is granted at most once per user, and never twice for the same account at an
 * exchange, even if two users connect that account.
 */
export const EVENT_REWARD_TYPES: readonly EventRewardType[] = [
  {
    code: 'SIGN_UP',
    name: 'Sign-up',
    description:
      'Granted once for the first exchange account that you connect and sync. An account at an exchange that has already earned this reward for any user does not earn it again.',
    reason: 'You connected an exchange account.',
    event: 'exchange.synced',
    source: 'exchange_account',
  },
  {
    code: 'FIRST_TRADE',
    name: 'First trade',
    description:
      'Granted once for the first trade that fills while this reward is offered. An account at an exchange that has already earned this reward for any user does not earn it again.',
    reason: 'Your first trade was filled.',
    event: 'trade.filled',
    source: 'trade',
  },
];

/** A row of `reward_types`, the catalogue of rewards. */
export interface RewardTypeInput {
  readonly code: string;
  readonly name: string;
  readonly description: string;
  readonly basis: RewardBasis;
  readonly rate: Decimal;
  /** How often the reward is settled; null if it is granted immediately. */
  readonly period: string | null;
  readonly isActive: boolean;
}

/**
 * The reward type of strategies that other users copy. Each strategy sets its own rate and period; `rate` is the maximum
 * and `period` lists the choices.
 */
export const PROFIT_SHARE_TYPE: Omit<RewardTypeInput, 'isActive'> = {
  code: 'PROFIT_SHARE',
  name: 'Profit share',
  description:
    "Your share of what each copying user earns with copies of your exchange account, above that user's mark. The profit is net and realised, less the losses of open lots. The copiers' terms set the rate, at most 0.5, and the period. The share is granted at the end of the period and is PENDING until the UTC month ends. Then all shares of the month are scaled down if they exceed the budget.",
  basis: 'PROFIT_SHARE',
  rate: '0.5',
  period: 'WEEK|MONTH|QUARTER',
};

/** Default reward tokens per unit of quote currency. */
export const DEFAULT_TOKENS_PER_QUOTE: Readonly<Record<World, Readonly<Record<string, Decimal>>>> = {
  test: { USDT: '1', USDC: '1' },
  live: {},
};

/** Default reward tokens per grant. Zero in the live world, so that nothing of value is granted by accident. */
export const DEFAULT_AMOUNTS: Readonly<Record<World, Readonly<Record<RewardCode, Decimal>>>> = {
  test: { SIGN_UP: '100', FIRST_TRADE: '50' },
  live: { SIGN_UP: '0', FIRST_TRADE: '0' },
};
