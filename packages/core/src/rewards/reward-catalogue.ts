import type { Decimal, RewardBasis, World } from '@trading-automation/contracts';

export type RewardCode = 'SIGN_UP' | 'FIRST_TRADE';

export interface RewardKind {
  readonly code: RewardCode;
  readonly name: string;
  readonly description: string;
  /** Said of each reward of the kind. */
  readonly reason: string;
  /** The event that it is granted for. */
  readonly event: 'exchange.synced' | 'trade.filled';
  readonly source: 'exchange_account' | 'trade';
}

/** What this release grants, one of a kind for each user and for each account at an exchange. */
export const REWARD_KINDS: readonly RewardKind[] = [
  {
    code: 'SIGN_UP',
    name: 'Sign-up',
    description: 'For the first exchange account that is connected and read, once for each account there.',
    reason: 'Connected an exchange account.',
    event: 'exchange.synced',
    source: 'exchange_account',
  },
  {
    code: 'FIRST_TRADE',
    name: 'First trade',
    description: 'For the first trade that fills while this is offered, once for each exchange account.',
    reason: 'Filled a first trade.',
    event: 'trade.filled',
    source: 'trade',
  },
];

/** A type of reward as it is offered. */
export interface RewardTypeInput {
  readonly code: string;
  readonly name: string;
  readonly description: string;
  readonly basis: RewardBasis;
  readonly rate: Decimal;
  /** How often it is settled; null: at once. */
  readonly period: string | null;
  readonly isActive: boolean;
}

/** For strategies that others copy. The strategy says its rate and its period; these are the most there can be. */
export const PROFIT_SHARE_TYPE: Omit<RewardTypeInput, 'isActive'> = {
  code: 'PROFIT_SHARE',
  name: 'Profit share',
  description:
    "For your strategy, of each copier's net realised profit above its high-water mark: the share that the strategy's profit_share says, half at most, settled by its period when the copier holds nothing of the strategy.",
  basis: 'PROFIT_SHARE',
  rate: '0.5',
  period: 'WEEK|MONTH|QUARTER',
};

/** Reward tokens for one unit of quote currency unless configured otherwise. */
export const DEFAULT_TOKENS_PER_QUOTE: Readonly<Record<World, Readonly<Record<string, Decimal>>>> = {
  test: { USDT: '1', USDC: '1' },
  live: {},
};

/** Granted unless configured otherwise: nothing of value by accident. */
export const DEFAULT_AMOUNTS: Readonly<Record<World, Readonly<Record<RewardCode, Decimal>>>> = {
  test: { SIGN_UP: '100', FIRST_TRADE: '50' },
  live: { SIGN_UP: '0', FIRST_TRADE: '0' },
};
