/** The call budget that all workers of the deployment share, stored in Redis. */
import { once } from 'node:events';
import { REDIS_FAILOVER_OPTIONS } from '@trading-automation/core';
import type { BudgetedCall, CallBudget } from '@trading-automation/exchanges';
import { Redis } from 'ioredis';
import { RedisSlidingWindows } from './redis-sliding-windows.js';
import { VenueBudget, type VenueLimits } from './venue-budget.js';

export interface RedisCallBudgetOptions {
  readonly redisUrl: string;
  /** The prefix of every key. */
  readonly prefix: string;
  readonly limitsOf: (venue: string) => VenueLimits;
  /** Creates a budget of this process for the worker's own part of the limits. */
  readonly createFallback: (limits: VenueLimits) => CallBudget;
  readonly onError: (error: unknown) => void;
  /** A command that takes longer counts as a Redis outage. Default: 250 ms. */
  readonly commandTimeoutMs?: number;
}

const COMMAND_TIMEOUT_MS = 250;
const CONNECT_TIMEOUT_MS = 2_000;

export class RedisCallBudget implements CallBudget {
  private readonly redis: Redis;
  private readonly windows: RedisSlidingWindows;
  private readonly venues = new Map<string, VenueBudget>();
  private readonly fallbacks = new Map<string, { readonly workers: number; readonly budget: CallBudget }>();
  /** The number of workers that share the limits; each spends an equal part while Redis is unavailable. */
  workers = 1;

  constructor(private readonly options: RedisCallBudgetOptions) {
    this.redis = new Redis(options.redisUrl, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      commandTimeout: options.commandTimeoutMs ?? COMMAND_TIMEOUT_MS,
      disconnectTimeout: 200,
      ...REDIS_FAILOVER_OPTIONS,
    });
    this.redis.on('error', options.onError);
    this.windows = new RedisSlidingWindows(this.redis, options.prefix);
  }

  /** Resolves when Redis is connected, or after 2 s: calls work without it. */
  async ready(): Promise<void> {
    if (this.redis.status === 'ready') return;
    await once(this.redis, 'ready', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) }).catch(
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
      // All orders of an account are sent by one worker, so this limit is not divided.
      ordersPer10s,
    });
    this.fallbacks.set(venue, { workers, budget });
    return budget;
  }
}
