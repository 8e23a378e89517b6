/**
 * How the weight limit of a local address is divided.
 *
 * 1. Exits may use the whole limit. Each other purpose stops at a lower total, so that what lies above is reserved for
 *    the purposes before it: the last tenth for exits, the tenth below it for exits and users' calls.
 * 2. Users' calls together use at most half of the limit, and background work at most half, rotation a quarter. Their
 *    total stays below that of copies, which therefore always find a fifth: a tenth is reserved for their orders, because
 *    the balances that 1,000 copies read, if streams fail, weigh as much as 20,000 orders.
 * 3. One user uses at most 15 % of the limit for calls that the user waits for, and a quarter for exits.
 *
 * Redis counts all of this for all workers together. Inside a worker, users take turns.
 */
import type { CallPurpose } from '@trading-automation/exchanges';

/** The part of the total weight up to which calls of each purpose are admitted. */
export const TOTAL_SHARE: Readonly<Record<CallPurpose, number>> = {
  exit: 1,
  user: 0.9,
  copy: 0.8,
  copy_read: 0.7,
  check: 0.6,
  rotation: 0.5,
};

/** The part of the limit that a group of purposes may use together. */
export interface GroupShare {
  readonly group: 'users' | 'background';
  readonly share: number;
}

export const GROUP_SHARE: Readonly<Partial<Record<CallPurpose, GroupShare>>> = {
  user: { group: 'users', share: 0.5 },
  check: { group: 'background', share: 0.5 },
  rotation: { group: 'background', share: 0.25 },
};

/** The part of the limit that one user may use. */
export const USER_SHARE: Readonly<Partial<Record<CallPurpose, number>>> = { exit: 0.25, user: 0.15 };
