/**
 * How the weight limit of a local address is divided.
 *
 * 1. Exits may use the whole limit. Each other purpose stops at a lower total, so that what lies above is reserved for
 *    the purposes before it: the last tenth for exits, then 3 % for users' calls, 2 % for connections of streams and
 *    look-ups, a tenth for comparisons, and a tenth for orders of copies. A thousand copies whose streams fail read
 *    balances that weigh as much as 20,000 orders. If copies or comparisons could use up the share of connections, no
 *    stream would connect again and the reads would never end.
 * 2. Users' calls together use at most 40 % of the limit, connections, look-ups and comparisons 30 %, of which
 *    comparisons two thirds, and background work half, rotation a quarter. Background work ends far below the total of
 *    copies. Copies therefore always find 5 %, and a fifth while nothing is repaired.
 * 3. One user uses at most 15 % of the limit for calls that the user waits for, and a quarter for exits.
 *
 * Redis counts all of this for all workers together. Inside a worker, users take turns.
 */
import type { CallPurpose } from '@trading-automation/exchanges';

/** The part of the total weight up to which calls of each purpose are admitted. */
export const TOTAL_SHARE: Readonly<Record<CallPurpose, number>> = {
  exit: 1,
  user: 0.9,
  resume: 0.87,
  repair: 0.85,
  copy: 0.75,
  copy_read: 0.65,
  check: 0.55,
  rotation: 0.5,
};

/** The part of the limit that a group of purposes may use together. */
export interface GroupShare {
  readonly group: 'users' | 'repairs' | 'background';
  readonly share: number;
}

export const GROUP_SHARE: Readonly<Partial<Record<CallPurpose, GroupShare>>> = {
  user: { group: 'users', share: 0.4 },
  resume: { group: 'repairs', share: 0.3 },
  repair: { group: 'repairs', share: 0.2 },
  check: { group: 'background', share: 0.5 },
  rotation: { group: 'background', share: 0.25 },
};

/** The part of the limit that one user may use. */
export const USER_SHARE: Readonly<Partial<Record<CallPurpose, number>>> = { exit: 0.25, user: 0.15 };
