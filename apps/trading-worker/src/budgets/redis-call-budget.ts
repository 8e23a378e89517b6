/** The call budget that all workers of the deployment share, stored in Redis. */
import { once } from 'node:events';
import { REDIS_FAILOVER_OPTIONS } from '@trading-automation/core';
import type { BudgetedCall, CallBudget } from '@trading-automation/exchanges';
import { Redis } from 'ioredis';
import { RedisSlidingWindows } from './redis-sliding-windows.js';
import { SharedLimits, type VenueLimits } from './shared-limits.js';
import { VenueBudget } from './venue-budget.js';

export interface RedisCallBudgetSettings {
  readonly redisUrl: string;
  /** The prefix of every key. */
  readonly prefix: string;
  /** A command that takes longer counts as a Redis outage. Default: 250 ms. */
  readonly commandTimeoutMs?: number;
}

const COMMAND_TIMEOUT_MS = 250;
const CONNECT_TIMEOUT_MS = 2_000;

export class RedisCallBudget implements CallBudget {
  private readonly redis: Redis;
  private readonly windows: RedisSlidingWindows;
  /** One budget for each exchange and local address. */
  private readonly budgets = new Map<string, VenueBudget>();
  private readonly fallbacks = new Map<string, { readonly workers: number; readonly budget: CallBudget }>();
  /** The number of workers that share the limits. While Redis is unavailable, each worker spends an equal part. */
  workers = 1;

  constructor(
    settings: RedisCallBudgetSettings,
    private readonly limitsOf: (venue: string) => VenueLimits,
    /** Creates a budget in this process for the worker's own part of the limits. */
    private readonly createFallback: (limits: VenueLimits) => CallBudget,
    private readonly onError: (error: unknown) => void,
  ) {
    this.redis = new Redis(settings.redisUrl, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      commandTimeout: settings.commandTimeoutMs ?? COMMAND_TIMEOUT_MS,
      disconnectTimeout: 200,
      ...REDIS_FAILOVER_OPTIONS,
    });
    this.redis.on('error', onError);
    this.windows = new RedisSlidingWindows(this.redis, settings.prefix);
  }

  /** Resolves when Redis is connected, but after 2 s at the latest, because calls also work without Redis. */
  async ready(): Promise<void> {
    if (this.redis.status === 'ready') return;
    await once(this.redis, 'ready', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) }).catch(
      () => undefined,
    );
  }

  take(call: BudgetedCall, signal: AbortSignal): Promise<void> {
    return this.budgetOf(call.venue, call.egress).take(call, signal);
  }

  pause(venue: string, forMs: number, egress?: string): void {
    this.budgetOf(venue, egress).pause(forMs);
  }

  /** Returns how long calls of the user that wait for the user's own share of a limit have to wait; 0 if none waits. */
  userWaitMs(userId: string): number {
    return Math.max(0, ...[...this.budgets.values()].map((budget) => budget.userWaitMs(userId)));
  }

  close(): void {
    this.redis.disconnect();
  }

  private budgetOf(venue: string, egress: string | undefined): VenueBudget {
    const key = `${venue} ${egress ?? ''}`;
    const existing = this.budgets.get(key);
    if (existing !== undefined) return existing;
    const shared = new SharedLimits(this.windows, venue, this.limitsOf(venue), egress);
    const budget = new VenueBudget(shared, () => this.fallbackFor(venue, key), this.onError);
    this.budgets.set(key, budget);
    return budget;
  }

  private fallbackFor(venue: string, key: string): CallBudget {
    const { workers } = this;
    const existing = this.fallbacks.get(key);
    if (existing?.workers === workers) return existing.budget;
    const { weightPerMinute, ...ofAccount } = this.limitsOf(venue);
    const budget = this.createFallback({
      weightPerMinute: Math.max(1, Math.floor(weightPerMinute / workers)),
      // One worker makes the calls of an account, so its limits are not divided.
      ...ofAccount,
    });
    this.fallbacks.set(key, { workers, budget });
    return budget;
  }
}
