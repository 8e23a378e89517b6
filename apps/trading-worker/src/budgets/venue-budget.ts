/**
 * The budget of one exchange, as one worker spends it.
 *
 * 1. Tokens come from Redis in bulk and are spent from a small stock: most calls cost no round trip. What is left of the
 *    stock after `STOCK_LASTS_MS` is thrown away, so that no more is taken in advance than was spent in such a span just
 *    before: whoever spends little wastes little.
 * 2. Exits stand before entries, entries before everything else, and the last of each limit is kept for those before:
 *    reads stop first, then entries; exits may use it all.
 * 3. An account that has to wait for its own orders holds up no other account.
 * 4. While Redis is away the worker spends its part of the limits by itself, and tells Redis of it afterwards.
 */
import { type BudgetedCall, type CallBudget, ExchangeError } from '@trading-automation/exchanges';
import type { RedisSlidingWindows, TokenRequest } from './redis-sliding-windows.js';

export interface VenueLimits {
  /** Of all calls to the exchange from this deployment's address. */
  readonly weightPerMinute: number;
  /** New orders of each account. */
  readonly ordersPer10s: number;
}

export interface VenueBudgetDependencies {
  readonly venue: string;
  readonly limits: VenueLimits;
  readonly windows: RedisSlidingWindows;
  /** The worker's own part, for as long as Redis is away. */
  readonly fallback: () => CallBudget;
  readonly onError: (error: unknown) => void;
  readonly nowMs?: () => number;
}

type Priority = 'exit' | 'entry' | 'other';
const PRIORITIES: readonly Priority[] = ['exit', 'entry', 'other'];
/** How much of a limit each rank may use. */
const PRIORITY_SHARE: Readonly<Record<Priority, number>> = { exit: 1, entry: 0.9, other: 0.8 };

/** No longer than a tenth of the shortest window. */
const PREFETCH_TTL_MS = 1_000;
/** The most of a limit that is taken in advance. */
const PREFETCH_SHARE = 0.02;
const FALLBACK_MS = 1_000;
const WEIGHT = 'weight';

interface Limit {
  readonly key: string;
  readonly max: number;
  readonly windowMs: number;
}
interface Need {
  readonly limit: Limit;
  readonly amount: number;
}
interface PrefetchedTokens {
  tokens: number;
  expiresAtMs: number;
}
/** What was spent of a limit, in the span that has begun and in the one before it. */
interface Spending {
  span: number;
  now: number;
  before: number;
}
/** Until when nothing as large as this is granted. */
interface Backpressure {
  readonly least: number;
  readonly untilMs: number;
}
interface Waiting {
  readonly call: BudgetedCall;
  readonly needs: readonly Need[];
  readonly signal: AbortSignal;
  readonly go: () => void;
  readonly fail: (error: unknown) => void;
}

export class VenueBudget {
  private readonly queues: Readonly<Record<Priority, Set<Waiting>>> = {
    exit: new Set(),
    entry: new Set(),
    other: new Set(),
  };
  private readonly prefetched = new Map<string, PrefetchedTokens>();
  private readonly spendings = new Map<string, Spending>();
  /** What asking brings nothing for, by rank and limit. */
  private readonly backpressure = new Map<string, Backpressure>();
  private pausedUntilMs = 0;
  private fallbackUntilMs = 0;
  private spentInFallback = 0;
  private isServing = false;
  private timer: NodeJS.Timeout | undefined;
  private soon: NodeJS.Immediate | undefined;

  constructor(private readonly parts: VenueBudgetDependencies) {}

  async take(call: BudgetedCall, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw exhausted();
    if (this.nowMs() < this.fallbackUntilMs) return this.takeFromFallback(call, signal);
    const rank = priorityOf(call);
    const needs = this.needsOf(call);
    if (!this.hasQueuedAhead(rank) && !this.isPaused() && this.spend(needs)) return;
    await new Promise<void>((resolve, reject) => {
      const queue = this.queues[rank];
      const onAbort = () => {
        queue.delete(waiting);
        reject(exhausted());
      };
      const end = (settle: () => void) => {
        signal.removeEventListener('abort', onAbort);
        settle();
      };
      const waiting: Waiting = {
        call,
        needs,
        signal,
        go: () => end(resolve),
        fail: (error) => end(() => reject(error)),
      };
      queue.add(waiting);
      signal.addEventListener('abort', onAbort, { once: true });
      // What is asked for in this turn of the event loop is asked of Redis at once.
      this.soon ??= setImmediate(() => {
        this.soon = undefined;
        void this.drainQueues();
      });
    });
  }

  pause(forMs: number): void {
    this.pausedUntilMs = Math.max(this.pausedUntilMs, this.nowMs() + forMs);
    this.parts.windows.pause(this.parts.venue, forMs).catch(this.parts.onError);
    this.parts.fallback().pause(this.parts.venue, forMs);
  }

  private nowMs(): number {
    return this.parts.nowMs?.() ?? performance.now();
  }

  private isPaused(): boolean {
    return this.nowMs() < this.pausedUntilMs;
  }

  private hasQueuedAhead(rank: Priority): boolean {
    return PRIORITIES.slice(0, PRIORITIES.indexOf(rank) + 1).some((each) => this.queues[each].size > 0);
  }

  private needsOf({ weight, isOrder, accountKey }: BudgetedCall): readonly Need[] {
    const { weightPerMinute, ordersPer10s } = this.parts.limits;
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

  /** Spends from the stock, all or nothing. */
  private spend(needs: readonly Need[]): boolean {
    if (!needs.every(({ limit, amount }) => this.prefetchedTokens(limit) >= amount)) return false;
    for (const { limit, amount } of needs) {
      const stock = this.prefetched.get(limit.key);
      if (stock !== undefined) stock.tokens -= amount;
      this.spendingOf(limit).now += amount;
    }
    return true;
  }

  private spendingOf({ key }: Limit): Spending {
    const span = Math.floor(this.nowMs() / PREFETCH_TTL_MS);
    const known = this.spendings.get(key);
    if (known?.span === span) return known;
    const before = known?.span === span - 1 ? known.now : 0;
    const spending = { span, now: 0, before };
    this.spendings.set(key, spending);
    return spending;
  }

  private prefetchedTokens({ key }: Limit): number {
    const stock = this.prefetched.get(key);
    if (stock === undefined) return 0;
    if (this.nowMs() < stock.expiresAtMs) return stock.tokens;
    this.prefetched.delete(key);
    return 0;
  }

  private wakeIn(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.drainQueues(), ms);
    this.timer.unref();
  }

  /** Lets through whoever can go, asks for what the others lack, and comes back when there may be more. */
  private async drainQueues(): Promise<void> {
    if (this.isServing) return;
    this.isServing = true;
    try {
      while (!this.isPaused()) {
        const lacking = this.admitWaiting();
        if (lacking.length === 0) break;
        await this.requestTokens(lacking);
      }
    } catch (error) {
      this.parts.onError(error);
      this.enterFallback();
    } finally {
      this.isServing = false;
    }
    if (PRIORITIES.some((rank) => this.queues[rank].size > 0)) this.wakeIn(this.nextAttemptInMs());
  }

  /** What those who can't go lack, by rank and limit, but for what is known to be dry. */
  private admitWaiting(): readonly TokenDeficit[] {
    const lacking = new Map<string, TokenDeficit>();
    let isHeldUp = false;
    for (const rank of PRIORITIES) {
      for (const waiting of this.queues[rank]) {
        if (!isHeldUp && this.spend(waiting.needs)) {
          this.queues[rank].delete(waiting);
          waiting.go();
          continue;
        }
        for (const { limit, amount } of waiting.needs) {
          const isLacking = this.prefetchedTokens(limit) < amount;
          // Whoever lacks what all need holds up all behind: else many small calls would keep a large one waiting.
          isHeldUp ||= isLacking && limit.key === WEIGHT;
          const name = `${rank} ${limit.key}`;
          if (!(isLacking || isHeldUp) || this.isBackedOff(name, amount)) continue;
          const before = lacking.get(name) ?? { amount: 0, least: amount };
          const least = Math.min(before.least, amount);
          lacking.set(name, { name, rank, limit, amount: before.amount + amount, least });
        }
      }
    }
    return [...lacking.values()];
  }

  private async requestTokens(lacking: readonly TokenDeficit[]): Promise<void> {
    const askedAtMs = this.nowMs();
    const debtor = lacking.findIndex(({ limit }) => limit.key === WEIGHT);
    const debt = debtor < 0 ? 0 : this.spentInFallback;
    const demands = lacking.map((lack, i) => this.demandOf(lack, i === debtor ? debt : 0));
    const { pausedMs, grants } = await this.parts.windows.acquire(this.parts.venue, demands);
    this.spentInFallback -= debt;
    if (pausedMs > 0) this.pausedUntilMs = Math.max(this.pausedUntilMs, this.nowMs() + pausedMs);
    for (const [i, { granted, retryInMs }] of grants.entries()) {
      const { name, limit, least } = lacking[i]!;
      if (granted > 0) this.addPrefetched(limit, granted, askedAtMs);
      if (granted < demands[i]!.wanted)
        this.backpressure.set(name, { least, untilMs: this.nowMs() + retryInMs });
      else this.backpressure.delete(name);
    }
  }

  private demandOf({ rank, limit, amount, least }: TokenDeficit, spent: number): TokenRequest {
    const inStock = this.prefetchedTokens(limit);
    // What is left for exits alone is taken only as it is needed.
    const { now, before } = this.spendingOf(limit);
    const bulk =
      rank === 'exit' ? 0 : Math.min(Math.floor(limit.max * PREFETCH_SHARE), Math.max(now, before));
    return {
      key: limit.key,
      ceiling: Math.max(1, Math.floor(limit.max * PRIORITY_SHARE[rank])),
      windowMs: limit.windowMs,
      wanted: Math.max(1, amount + bulk - inStock),
      least: Math.max(1, least - inStock),
      spent,
    };
  }

  private addPrefetched(limit: Limit, granted: number, askedAtMs: number): void {
    const left = this.prefetchedTokens(limit);
    const goodUntilMs = askedAtMs + PREFETCH_TTL_MS;
    if (this.prefetched.size > STOCKS_MAX) this.forgetOld();
    // What was there already must not last longer for what is added.
    const sooner = left > 0 ? this.prefetched.get(limit.key)?.expiresAtMs : undefined;
    this.prefetched.set(limit.key, { tokens: left + granted, expiresAtMs: sooner ?? goodUntilMs });
  }

  private isBackedOff(name: string, amount: number): boolean {
    const dry = this.backpressure.get(name);
    return dry !== undefined && amount >= dry.least && this.nowMs() < dry.untilMs;
  }

  private forgetOld(): void {
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
    this.fallbackUntilMs = this.nowMs() + FALLBACK_MS;
    for (const rank of PRIORITIES) {
      for (const waiting of this.queues[rank]) {
        this.queues[rank].delete(waiting);
        this.takeFromFallback(waiting.call, waiting.signal).then(waiting.go, waiting.fail);
      }
    }
  }

  private async takeFromFallback(call: BudgetedCall, signal: AbortSignal): Promise<void> {
    await this.parts.fallback().take(call, signal);
    this.spentInFallback += call.weight;
  }
}

const STOCKS_MAX = 10_000;

interface TokenDeficit {
  readonly name: string;
  readonly rank: Priority;
  readonly limit: Limit;
  /** What all who wait for it need together, and the one who needs least. */
  readonly amount: number;
  readonly least: number;
}

function priorityOf({ isOrder, isExit }: BudgetedCall): Priority {
  if (isExit === true) return 'exit';
  return isOrder ? 'entry' : 'other';
}

const exhausted = () =>
  new ExchangeError('retryable', 'rate_limited', 'The exchange allows no more requests at the moment.');
