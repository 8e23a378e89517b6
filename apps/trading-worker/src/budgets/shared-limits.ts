import {
  accountWeightOf,
  type BudgetedCall,
  type CallPurpose,
  purposeOf,
} from '@trading-automation/exchanges';
import type { AcquiredTokens, Counter, RedisSlidingWindows, TokenRequest } from './redis-sliding-windows.js';
import { GROUP_SHARE, TOTAL_SHARE, USER_SHARE } from './shares.js';

export interface VenueLimits {
  /** Applies to all calls from one local address to the exchange. */
  readonly weightPerMinute: number;
  /** Applies to the new orders of each account. */
  readonly ordersPer10s: number;
  /**
   * Applies to the calls of each account, from whatever address. Undefined if the exchange does not count their weight.
   * `windowMs` is at least 6 s: prefetched tokens live for a tenth of it.
   */
  readonly accountLimit?: { readonly weight: number; readonly windowMs: number } | undefined;
}

/** Which other calls wait behind a call that a counter holds up. */
export type Blocking = 'all' | 'purpose' | 'none';

interface LimitCounter extends Counter {
  /**
   * All later calls, those of the same purpose, or none. Without this, many small calls would starve a large one.
   */
  readonly blocks: Blocking;
}

/** Counters that are charged together. Calls with the same limit share its prefetched tokens. */
export interface Limit {
  readonly name: string;
  /** How many tokens are requested in one turn, at least those of one call. Users take turns. */
  readonly turn: number;
  readonly counters: readonly LimitCounter[];
}

/** How many tokens of a limit a call needs. */
export interface Need {
  readonly limit: Limit;
  readonly amount: number;
}

const MINUTE_MS = 60_000;
/** The weight of one turn of a user: a test of credentials, or 25 cancellations. */
const TURN_WEIGHT = 25;
const ORDERS_WINDOW_MS = 10_000;
/**
 * Background work is counted in short windows, so that it is spread over the minute and no call waits long behind a
 * burst. With a small limit, the share of such a window would be less than the weight of one call.
 */
const SHORT_WINDOW_MS = 6_000;
const SHORT_WINDOW_MIN_WEIGHT = 4_000;
/** The part of the orders per account that is not reserved for exits. */
const ORDERS_SHARE: Readonly<Partial<Record<CallPurpose, number>>> = { user: 0.9, copy: 0.9 };

/** The limits of one exchange for one local address; all workers count their usage in Redis. */
export class SharedLimits {
  private readonly scope: string;

  constructor(
    private readonly windows: RedisSlidingWindows,
    readonly venue: string,
    private readonly limits: VenueLimits,
    readonly egress?: string,
  ) {
    this.scope = egress === undefined ? venue : `${venue}@${egress}`;
  }

  /** Returns how many tokens of each limit a call needs. */
  needsOf(call: BudgetedCall): readonly Need[] {
    const { weight, isOrder, accountKey } = call;
    const purpose = purposeOf(call);
    const needs: Need[] = [];
    if (weight > 0) needs.push({ limit: this.weightLimit(purpose, call.userId), amount: weight });
    const { accountLimit } = this.limits;
    if (accountLimit !== undefined && accountKey !== undefined && accountWeightOf(call) > 0) {
      const key = `${this.venue}:account:${accountKey}`;
      const ceiling = share(accountLimit.weight, TOTAL_SHARE[purpose]);
      const { windowMs } = accountLimit;
      const counter = { key, ceiling, windowMs, blocks: 'none' } as const;
      const limit = { name: `${purpose} ${key}`, turn: TURN_WEIGHT, counters: [counter] };
      needs.push({ limit, amount: accountWeightOf(call) });
    }
    if (isOrder && accountKey !== undefined) {
      // An account keeps its order limit if it moves to another address.
      const key = `${this.venue}:orders:${accountKey}`;
      const ceiling = share(this.limits.ordersPer10s, ORDERS_SHARE[purpose] ?? 1);
      const counter = { key, ceiling, windowMs: ORDERS_WINDOW_MS, blocks: 'none' } as const;
      needs.push({ limit: { name: `${purpose} ${key}`, turn: ceiling, counters: [counter] }, amount: 1 });
    }
    return needs;
  }

  /** @throws if Redis is unavailable */
  acquire(requests: readonly TokenRequest[]): Promise<AcquiredTokens> {
    return this.windows.acquire(this.scope, requests);
  }

  /** Stops the calls of all workers from this address to the exchange. @throws if Redis is unavailable */
  pause(forMs: number): Promise<void> {
    return this.windows.pause(this.scope, forMs);
  }

  private weightLimit(purpose: CallPurpose, userId: string | undefined): Limit {
    const { scope } = this;
    const { weightPerMinute } = this.limits;
    const total = share(weightPerMinute, TOTAL_SHARE[purpose]);
    const counters: LimitCounter[] = [
      { key: `${scope}:weight`, ceiling: total, windowMs: MINUTE_MS, blocks: 'all' },
    ];
    const ofGroup = GROUP_SHARE[purpose];
    if (ofGroup !== undefined) {
      const isShort = ofGroup.group === 'background' && weightPerMinute >= SHORT_WINDOW_MIN_WEIGHT;
      const windowMs = isShort ? SHORT_WINDOW_MS : MINUTE_MS;
      const ceiling = share((weightPerMinute * windowMs) / MINUTE_MS, ofGroup.share);
      counters.push({ key: `${scope}:${ofGroup.group}`, ceiling, windowMs, blocks: 'purpose' });
    }
    const ofUser = USER_SHARE[purpose];
    if (ofUser === undefined || userId === undefined) return { name: purpose, turn: total, counters };
    const key = `${scope}:${purpose}:${userId}`;
    const ceiling = share(weightPerMinute, ofUser);
    counters.push({ key, ceiling, windowMs: MINUTE_MS, blocks: 'none' });
    return { name: `${purpose} ${userId}`, turn: TURN_WEIGHT, counters };
  }
}

const share = (limit: number, part: number) => Math.max(1, Math.floor(limit * part));
