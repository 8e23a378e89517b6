import type { Decimal, World } from '@trading-automation/contracts';

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

/** Granted unless configured otherwise: nothing of value by accident. */
export const DEFAULT_AMOUNTS: Readonly<Record<World, Readonly<Record<RewardCode, Decimal>>>> = {
  test: { SIGN_UP: '100', FIRST_TRADE: '50' },
  live: { SIGN_UP: '0', FIRST_TRADE: '0' },
};
