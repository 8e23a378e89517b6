/** What a card of an exchange account says. */

import type { ExchangeAccount } from '@trading-automation/sdk';
import { inactiveWords } from '../../data/inactive-account.rules';
import { Exact, isZero } from '../../format/decimals';

export type Account = ExchangeAccount<'string'>;

export interface AccountState {
  readonly label: string;
  readonly tone: 'gain' | 'warn' | 'loss';
  /** Why the account needs attention, and what to do. */
  readonly advice?: string;
}

/** All balances are read at least every 4 hours; one more hour is for the reading itself. */
const OLD_MS = 5 * 3_600_000;

/** What a right of a key says. */
export const rightOf = (right: boolean | null): string =>
  right === null ? 'Not reported' : right ? 'Yes' : 'No';

/** Returns the state of an account, the most serious one first. */
export function stateOf(
  account: Pick<Account, 'is_active' | 'inactive_reason' | 'can_trade' | 'can_withdraw' | 'last_sync_at'>,
  nowMs: number,
): AccountState {
  const { is_active, inactive_reason, can_trade, can_withdraw, last_sync_at } = account;
  if (!is_active) return { ...inactiveWords(inactive_reason), tone: 'loss' };
  if (can_trade === false)
    return {
      label: 'Active, cannot trade',
      tone: 'warn',
      advice: 'These credentials cannot trade. Allow them to trade at the exchange, or replace them.',
    };
  if (can_withdraw)
    return {
      label: 'Active, can withdraw',
      tone: 'warn',
      advice: 'These credentials can withdraw. Replace them with ones that can only trade.',
    };
  if (last_sync_at === null)
    return { label: 'Active, not synced yet', tone: 'warn', advice: 'The balances are read in a moment.' };
  if (nowMs - Date.parse(last_sync_at) > OLD_MS)
    return {
      label: 'Active, old balances',
      tone: 'warn',
      advice: 'The balances were not read for more than 5 hours. Sync the account now.',
    };
  return { label: 'Active', tone: 'gain' };
}

/** Why balances that were read a while ago are current. */
export const LIVE_BALANCES =
  'The exchange reports changes as they happen, and all balances are read at least every 4 hours.';

export interface BalanceRow {
  readonly asset: string;
  readonly amount: string;
}

export interface FreeAmounts {
  /** By asset; undefined until the open orders are loaded. */
  readonly amounts: Readonly<Record<string, string>> | undefined;
  readonly isFailed: boolean;
}

/** Returns what orders hold of a balance. */
export const heldOf = (total: string, free = total): string => new Exact(total).minus(free).toFixed();

/** Returns the assets that an account holds, by name. */
export function balancesOf({ balance }: Pick<Account, 'balance'>): BalanceRow[] {
  return Object.entries(balance)
    .filter(([, amount]) => !isZero(new Exact(amount)))
    .map(([asset, amount]) => ({ asset, amount }))
    .sort((a, b) => a.asset.localeCompare(b.asset));
}

/** What a margin account holds and owes of an asset. */
export interface MarginBalanceRow {
  readonly asset: string;
  readonly total: string;
  readonly used: string;
  readonly free: string;
  /** Undefined until the loans were read once. */
  readonly borrowed?: string | undefined;
  readonly interest?: string | undefined;
}

/** Returns the assets that a margin account holds or owes, by name. */
export function marginBalancesOf({ balance_detail }: Pick<Account, 'balance_detail'>): MarginBalanceRow[] {
  return Object.entries(balance_detail)
    .map(([asset, amounts]) => ({ asset, ...amounts }))
    .filter(({ total, borrowed = '0', interest = '0' }) =>
      [total, borrowed, interest].some((amount) => !isZero(new Exact(amount))),
    )
    .sort((a, b) => a.asset.localeCompare(b.asset));
}

/** What depends on an account. */
export interface AccountUse {
  readonly openOrders: number;
  readonly openLots: number;
  readonly activeStrategies: number;
  readonly archivedStrategies: number;
  readonly runningCopiers: number;
  readonly pausedCopiers: number;
}

export interface Obstacle {
  readonly text: string;
  readonly href: string;
}

const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`;

/** Returns what must end before the account can be removed. */
export function obstaclesOf(use: AccountUse): Obstacle[] {
  const obstacles: (Obstacle & { readonly number: number })[] = [
    {
      number: use.openOrders,
      text: `${count(use.openOrders, 'open order', 'open orders')}: cancel first.`,
      href: '/trades',
    },
    {
      number: use.openLots,
      text: `${count(use.openLots, 'open lot', 'open lots')}: close first.`,
      href: '/positions',
    },
    {
      number: use.activeStrategies,
      text: `${count(use.activeStrategies, 'active strategy', 'active strategies')}: archive first.`,
      href: '/strategies',
    },
    {
      number: use.runningCopiers,
      text: `${count(use.runningCopiers, 'running copier', 'running copiers')}: stop first.`,
      href: '/copiers',
    },
  ];
  return obstacles.filter(({ number }) => number > 0).map(({ text, href }) => ({ text, href }));
}

/** Returns what the removal of an account changes. */
export function consequencesOf(use: AccountUse): string[] {
  return [
    'The stored credentials are deleted at once.',
    'Your balances stay at the exchange. Nothing is sold.',
    'Past trades stay listed, and their results stay in the analytics.',
    ...(use.pausedCopiers > 0
      ? [`${count(use.pausedCopiers, 'paused copier', 'paused copiers')} cannot be started again.`]
      : []),
    ...(use.archivedStrategies > 0
      ? [`${count(use.archivedStrategies, 'archived strategy', 'archived strategies')} cannot be used again.`]
      : []),
  ];
}
