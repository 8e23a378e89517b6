import type { BudgetedCall } from '@trading-automation/exchanges';
import type { AcquiredTokens, RedisSlidingWindows, TokenRequest } from './redis-sliding-windows.js';

export interface VenueLimits {
  /** Applies to all calls to the exchange from this deployment's IP address. */
  readonly weightPerMinute: number;
  /** Applies to the new orders of each account. */
  readonly ordersPer10s: number;
}

export interface Limit {
  readonly key: string;
  readonly max: number;
  readonly windowMs: number;
}

export interface Need {
  readonly limit: Limit;
  readonly amount: number;
}

/** The key of the limit that applies to all calls. */
export const WEIGHT = 'weight';

/** The limits of one exchange; all workers count their usage in Redis. */
export class SharedLimits {
  constructor(
    private readonly windows: RedisSlidingWindows,
    readonly venue: string,
    private readonly limits: VenueLimits,
  ) {}

  /** Returns how many tokens of each limit a call needs. */
  needsOf({ weight, isOrder, accountKey }: BudgetedCall): readonly Need[] {
    const { weightPerMinute, ordersPer10s } = this.limits;
    const needs: Need[] = [];
    if (weight > 0)
      needs.push({ limit: { key: WEIGHT, max: weightPerMinute, windowMs: 60_000 }, amount: weight });
    if (isOrder && accountKey !== undefined)
      needs.push({
        limit: { key: `orders:${accountKey}`, max: ordersPer10s, windowMs: 10_000 },
        amount: 1,
      });
    return needs;
  }

  /** @throws if Redis is unavailable */
  acquire(requests: readonly TokenRequest[]): Promise<AcquiredTokens> {
    return this.windows.acquire(this.venue, requests);
  }

  /** Stops the calls of all workers to the exchange. @throws if Redis is unavailable */
  pause(forMs: number): Promise<void> {
    return this.windows.pause(this.venue, forMs);
  }
}
