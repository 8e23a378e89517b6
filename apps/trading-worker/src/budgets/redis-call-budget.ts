/** What an exchange allows all workers of the deployment together. */
import { once } from 'node:events';
import { REDIS_FAILOVER_OPTIONS } from '@trading-automation/core';
import type { BudgetedCall, CallBudget } from '@trading-automation/exchanges';
import { Redis } from 'ioredis';
import { RedisSlidingWindows } from './redis-sliding-windows.js';
import { VenueBudget, type VenueLimits } from './venue-budget.js';

export interface RedisCallBudgetOptions {
  readonly redisUrl: string;
  /** Of every key. */
  readonly prefix: string;
  readonly limitsOf: (venue: string) => VenueLimits;
  /** A budget of one process, for a worker's own part of the limits. */
  readonly createFallback: (limits: VenueLimits) => CallBudget;
  readonly onError: (error: unknown) => void;
  /** A Redis that takes longer is as one that is away; 250 unless given. */
  readonly commandTimeoutMs?: number;
}

const ANSWERS_WITHIN_MS = 250;
const CONNECTED_WITHIN_MS = 2_000;

export class RedisCallBudget implements CallBudget {
  private readonly redis: Redis;
  private readonly windows: RedisSlidingWindows;
  private readonly venues = new Map<string, VenueBudget>();
  private readonly fallbacks = new Map<string, { readonly workers: number; readonly budget: CallBudget }>();
  /** How many workers share the limits; each spends an equal part while Redis is away. */
  workers = 1;

  constructor(private readonly options: RedisCallBudgetOptions) {
    this.redis = new Redis(options.redisUrl, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      commandTimeout: options.commandTimeoutMs ?? ANSWERS_WITHIN_MS,
      disconnectTimeout: 200,
      ...REDIS_FAILOVER_OPTIONS,
    });
    this.redis.on('error', options.onError);
    this.windows = new RedisSlidingWindows(this.redis, options.prefix);
  }

  /** Resolves when Redis is there, or was waited for long enough: calls work without it. */
  async ready(): Promise<void> {
    if (this.redis.status === 'ready') return;
    await once(this.redis, 'ready', { signal: AbortSignal.timeout(CONNECTED_WITHIN_MS) }).catch(
      () => undefined,
    );
  }

  take(call: BudgetedCall, signal: AbortSignal): Promise<void> {
    return this.of(call.venue).take(call, signal);
  }

  pause(venue: string, forMs: number): void {
    this.of(venue).pause(forMs);
  }

  close(): void {
    this.redis.disconnect();
  }

  private of(venue: string): VenueBudget {
    const known = this.venues.get(venue);
    if (known !== undefined) return known;
    const { limitsOf, onError } = this.options;
    const budget = new VenueBudget({
      venue,
      limits: limitsOf(venue),
      windows: this.windows,
      fallback: () => this.fallbackFor(venue),
      onError,
    });
    this.venues.set(venue, budget);
    return budget;
  }

  private fallbackFor(venue: string): CallBudget {
    const { workers } = this;
    const known = this.fallbacks.get(venue);
    if (known?.workers === workers) return known.budget;
    const { weightPerMinute, ordersPer10s } = this.options.limitsOf(venue);
    const budget = this.options.createFallback({
      weightPerMinute: Math.max(1, Math.floor(weightPerMinute / workers)),
      // An account's orders are one worker's.
      ordersPer10s,
    });
    this.fallbacks.set(venue, { workers, budget });
    return budget;
  }
}
