/**
 * The call budget of one exchange in one worker.
 *
 * 1. Tokens are prefetched from Redis in bulk, so most calls need no round trip. Prefetched tokens that are not spent
 *    within `PREFETCH_TTL_MS` are discarded. A worker prefetches no more than it spent in the preceding
 *    `PREFETCH_TTL_MS`, so a worker that spends little wastes little.
 * 2. Exits go before entries, and entries before other calls. Other calls may use 80 % of each limit, entries 90 %,
 *    and exits the whole limit.
 * 3. An account that has reached its own order limit does not block other accounts.
 * 4. While Redis is unavailable, the worker spends its own part of the limits and reports the usage to Redis later.
 */
import { type BudgetedCall, type CallBudget, ExchangeError } from '@trading-automation/exchanges';
import type { TokenRequest } from './redis-sliding-windows.js';
import { type Limit, type Need, type SharedLimits, WEIGHT } from './shared-limits.js';

type Priority = 'exit' | 'entry' | 'other';
const PRIORITIES: readonly Priority[] = ['exit', 'entry', 'other'];
/** The share of a limit that each priority may use. */
const PRIORITY_SHARE: Readonly<Record<Priority, number>> = { exit: 1, entry: 0.9, other: 0.8 };

/** How long prefetched tokens may be spent. At most a tenth of the shortest window; the shortest window is 10 s. */
const PREFETCH_TTL_MS = 1_000;
/** The maximum share of a limit that is prefetched. */
const PREFETCH_SHARE = 0.02;
/** How long this worker uses its own part of the limits after a Redis error, before it tries Redis again. */
const FALLBACK_DURATION_MS = 1_000;

interface PrefetchedTokens {
  tokens: number;
  expiresAtMs: number;
}
/** How many tokens of a limit were spent in one time span of `PREFETCH_TTL_MS`, and in the span before it. */
interface Spending {
  /** The number of the time span, counted from the start of the clock. */
  span: number;
  current: number;
  previous: number;
}
/** Redis would deny a request for `minimum` or more tokens until `untilMs`. */
interface Backpressure {
  readonly minimum: number;
  readonly untilMs: number;
}
interface Waiting {
  readonly call: BudgetedCall;
  readonly needs: readonly Need[];
  readonly signal: AbortSignal;
  readonly admit: () => void;
  readonly reject: (error: unknown) => void;
}

export class VenueBudget {
  private readonly queues: Readonly<Record<Priority, Set<Waiting>>> = {
    exit: new Set(),
    entry: new Set(),
    other: new Set(),
  };
  private readonly prefetched = new Map<string, PrefetchedTokens>();
  private readonly spendings = new Map<string, Spending>();
  /** Requests that Redis would currently deny, by priority and limit. */
  private readonly backpressure = new Map<string, Backpressure>();
  private pausedUntilMs = 0;
  private fallbackUntilMs = 0;
  private spentInFallback = 0;
  private isDraining = false;
  private timer: NodeJS.Timeout | undefined;
  private scheduledDrain: NodeJS.Immediate | undefined;

  constructor(
    private readonly shared: SharedLimits,
    /** Returns the budget for this worker's own part of the limits, which is used while Redis is unavailable. */
    private readonly fallback: () => CallBudget,
    private readonly onError: (error: unknown) => void,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  async take(call: BudgetedCall, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw rateLimited();
    if (this.nowMs() < this.fallbackUntilMs) return this.takeFromFallback(call, signal);
    const priority = priorityOf(call);
    const needs = this.shared.needsOf(call);
    if (!this.hasQueuedAhead(priority) && !this.isPaused() && this.spend(needs)) return;
    await new Promise<void>((resolve, reject) => {
      const queue = this.queues[priority];
      const onAbort = () => {
        queue.delete(waiting);
        reject(rateLimited());
      };
      const end = (settle: () => void) => {
        signal.removeEventListener('abort', onAbort);
        settle();
      };
      const waiting: Waiting = {
        call,
        needs,
        signal,
        admit: () => end(resolve),
        reject: (error) => end(() => reject(error)),
      };
      queue.add(waiting);
      signal.addEventListener('abort', onAbort, { once: true });
      // Calls of the same iteration of the event loop share one request to Redis.
      this.scheduledDrain ??= setImmediate(() => {
        this.scheduledDrain = undefined;
        void this.drainQueues();
      });
    });
  }

  pause(forMs: number): void {
    this.pausedUntilMs = Math.max(this.pausedUntilMs, this.nowMs() + forMs);
    this.shared.pause(forMs).catch(this.onError);
    this.fallback().pause(this.shared.venue, forMs);
  }

  private isPaused(): boolean {
    return this.nowMs() < this.pausedUntilMs;
  }

  private hasQueuedAhead(priority: Priority): boolean {
    return PRIORITIES.slice(0, PRIORITIES.indexOf(priority) + 1).some((each) => this.queues[each].size > 0);
  }

  /** Spends prefetched tokens for all needs and returns true, or spends none and returns false. */
  private spend(needs: readonly Need[]): boolean {
    if (!needs.every(({ limit, amount }) => this.prefetchedTokens(limit) >= amount)) return false;
    for (const { limit, amount } of needs) {
      const entry = this.prefetched.get(limit.key);
      if (entry !== undefined) entry.tokens -= amount;
      this.spendingOf(limit).current += amount;
    }
    return true;
  }

  private spendingOf({ key }: Limit): Spending {
    const span = Math.floor(this.nowMs() / PREFETCH_TTL_MS);
    const existing = this.spendings.get(key);
    if (existing?.span === span) return existing;
    const previous = existing?.span === span - 1 ? existing.current : 0;
    const spending = { span, current: 0, previous };
    this.spendings.set(key, spending);
    return spending;
  }

  private prefetchedTokens({ key }: Limit): number {
    const entry = this.prefetched.get(key);
    if (entry === undefined) return 0;
    if (this.nowMs() < entry.expiresAtMs) return entry.tokens;
    this.prefetched.delete(key);
    return 0;
  }

  private wakeIn(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.drainQueues(), ms);
    this.timer.unref();
  }

  /** Admits waiting calls, requests the tokens that the remaining calls lack, and schedules the next attempt. */
  private async drainQueues(): Promise<void> {
    if (this.isDraining) return;
    this.isDraining = true;
    try {
      while (!this.isPaused()) {
        const deficits = this.admitWaiting();
        if (deficits.length === 0) break;
        await this.requestTokens(deficits);
      }
    } catch (error) {
      this.onError(error);
      this.enterFallback();
    } finally {
      this.isDraining = false;
    }
    if (PRIORITIES.some((priority) => this.queues[priority].size > 0)) this.wakeIn(this.nextAttemptInMs());
  }

  /** Admits waiting calls. Returns the tokens that the remaining calls lack, except those that Redis would deny now. */
  private admitWaiting(): readonly TokenDeficit[] {
    const deficits = new Map<string, TokenDeficit>();
    let isBlocked = false;
    for (const priority of PRIORITIES) {
      for (const waiting of this.queues[priority]) {
        if (!isBlocked && this.spend(waiting.needs)) {
          this.queues[priority].delete(waiting);
          waiting.admit();
          continue;
        }
        for (const { limit, amount } of waiting.needs) {
          const isLacking = this.prefetchedTokens(limit) < amount;
          // A call that lacks tokens of the weight limit blocks all calls behind it; otherwise many small calls would
          // starve a large one.
          isBlocked ||= isLacking && limit.key === WEIGHT;
          const name = `${priority} ${limit.key}`;
          if (!(isLacking || isBlocked) || this.isBackedOff(name, amount)) continue;
          const deficit = deficits.get(name) ?? { amount: 0, minimum: amount };
          const minimum = Math.min(deficit.minimum, amount);
          deficits.set(name, { name, priority, limit, amount: deficit.amount + amount, minimum });
        }
      }
    }
    return [...deficits.values()];
  }

  private async requestTokens(deficits: readonly TokenDeficit[]): Promise<void> {
    const requestedAtMs = this.nowMs();
    const weightIndex = deficits.findIndex(({ limit }) => limit.key === WEIGHT);
    const unreported = weightIndex < 0 ? 0 : this.spentInFallback;
    const requests = deficits.map((deficit, i) =>
      this.tokenRequestOf(deficit, i === weightIndex ? unreported : 0),
    );
    const { pausedMs, grants } = await this.shared.acquire(requests);
    this.spentInFallback -= unreported;
    if (pausedMs > 0) this.pausedUntilMs = Math.max(this.pausedUntilMs, this.nowMs() + pausedMs);
    for (const [i, { granted, retryInMs }] of grants.entries()) {
      const { name, limit, minimum } = deficits[i]!;
      if (granted > 0) this.addPrefetched(limit, granted, requestedAtMs);
      if (granted < requests[i]!.wanted)
        this.backpressure.set(name, { minimum, untilMs: this.nowMs() + retryInMs });
      else this.backpressure.delete(name);
    }
  }

  private tokenRequestOf({ priority, limit, amount, minimum }: TokenDeficit, spent: number): TokenRequest {
    const prefetched = this.prefetchedTokens(limit);
    // For exits, only the missing tokens are requested, so the share of the limit that only exits may use is
    // never prefetched.
    const { current, previous } = this.spendingOf(limit);
    const prefetch =
      priority === 'exit' ? 0 : Math.min(Math.floor(limit.max * PREFETCH_SHARE), Math.max(current, previous));
    return {
      key: limit.key,
      ceiling: Math.max(1, Math.floor(limit.max * PRIORITY_SHARE[priority])),
      windowMs: limit.windowMs,
      wanted: Math.max(1, amount + prefetch - prefetched),
      minimum: Math.max(1, minimum - prefetched),
      spent,
    };
  }

  private addPrefetched(limit: Limit, granted: number, requestedAtMs: number): void {
    const remaining = this.prefetchedTokens(limit);
    const expiresAtMs = requestedAtMs + PREFETCH_TTL_MS;
    if (this.prefetched.size > PREFETCHED_MAX) this.deleteExpired();
    // Added tokens must not extend the lifetime of earlier ones.
    const earlierExpiry = remaining > 0 ? this.prefetched.get(limit.key)?.expiresAtMs : undefined;
    this.prefetched.set(limit.key, {
      tokens: remaining + granted,
      expiresAtMs: earlierExpiry ?? expiresAtMs,
    });
  }

  private isBackedOff(name: string, amount: number): boolean {
    const denied = this.backpressure.get(name);
    return denied !== undefined && amount >= denied.minimum && this.nowMs() < denied.untilMs;
  }

  private deleteExpired(): void {
    const now = this.nowMs();
    for (const [key, { expiresAtMs }] of this.prefetched) if (expiresAtMs <= now) this.prefetched.delete(key);
    for (const [name, { untilMs }] of this.backpressure) if (untilMs <= now) this.backpressure.delete(name);
    const span = Math.floor(now / PREFETCH_TTL_MS);
    for (const [key, spending] of this.spendings) if (spending.span < span - 1) this.spendings.delete(key);
  }

  private nextAttemptInMs(): number {
    const now = this.nowMs();
    if (this.isPaused()) return this.pausedUntilMs - now;
    let soonestMs = PREFETCH_TTL_MS;
    for (const { untilMs } of this.backpressure.values())
      if (untilMs > now) soonestMs = Math.min(soonestMs, untilMs - now);
    return Math.max(1, soonestMs);
  }

  private enterFallback(): void {
    this.fallbackUntilMs = this.nowMs() + FALLBACK_DURATION_MS;
    for (const priority of PRIORITIES) {
      for (const waiting of this.queues[priority]) {
        this.queues[priority].delete(waiting);
        this.takeFromFallback(waiting.call, waiting.signal).then(waiting.admit, waiting.reject);
      }
    }
  }

  private async takeFromFallback(call: BudgetedCall, signal: AbortSignal): Promise<void> {
    await this.fallback().take(call, signal);
    this.spentInFallback += call.weight;
  }
}

const PREFETCHED_MAX = 10_000;

interface TokenDeficit {
  /** The priority and the key of the limit; also the key in `backpressure`. */
  readonly name: string;
  readonly priority: Priority;
  readonly limit: Limit;
  /** The tokens that all waiting calls of this priority need together. */
  readonly amount: number;
  /** The tokens that the smallest of these calls needs. */
  readonly minimum: number;
}

function priorityOf({ isOrder, isExit }: BudgetedCall): Priority {
  if (isExit === true) return 'exit';
  return isOrder ? 'entry' : 'other';
}

const rateLimited = () =>
  new ExchangeError(
    'retryable',
    'rate_limited',
    'The rate limit of the exchange is reached. Try again later.',
  );
