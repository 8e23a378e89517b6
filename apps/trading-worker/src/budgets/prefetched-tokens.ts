import type { Limit, Need } from './shared-limits.js';

/** How long prefetched tokens may be spent. At most a tenth of the shortest window; the shortest window is 6 s. */
const PREFETCH_TTL_MS = 600;
/** The maximum share of a limit's smallest counter that is prefetched. */
const PREFETCH_SHARE = 0.02;
/**
 * The maximum part of the spent tokens that may expire unspent. Without this bound, bursts that follow each other after
 * slightly more than `PREFETCH_TTL_MS` would use up twice what they spend.
 */
const WASTE_SHARE = 0.05;
/** From this number of entries on, expired ones are deleted. */
const ENTRIES_MAX = 10_000;

interface Prefetched {
  tokens: number;
  expiresAtMs: number;
}

/** How many tokens of a limit were spent in one time span of `PREFETCH_TTL_MS`, and in the span before it. */
interface Spending {
  /** The number of the time span, counted from the start of the clock. */
  span: number;
  current: number;
  previous: number;
  /** How many prefetched tokens may expire unspent. */
  allowance: number;
}

/** The tokens that a worker got from Redis and has not spent yet, by limit. */
export class TokenPool {
  private readonly prefetched = new Map<string, Prefetched>();
  private readonly spendings = new Map<string, Spending>();

  constructor(private readonly nowMs: () => number) {}

  /** The number of entries. */
  get size(): number {
    return this.prefetched.size + this.spendings.size;
  }

  available({ name }: Limit): number {
    const entry = this.prefetched.get(name);
    if (entry === undefined) return 0;
    if (this.nowMs() < entry.expiresAtMs) return entry.tokens;
    this.prefetched.delete(name);
    const spending = this.spendings.get(name);
    if (spending !== undefined) spending.allowance = Math.max(0, spending.allowance - entry.tokens);
    return 0;
  }

  /** Spends tokens for all needs and returns true, or spends none and returns false. */
  spend(needs: readonly Need[]): boolean {
    if (!needs.every(({ limit, amount }) => this.available(limit) >= amount)) return false;
    for (const { limit, amount } of needs) {
      const entry = this.prefetched.get(limit.name);
      if (entry !== undefined) entry.tokens -= amount;
      const spending = this.spendingOf(limit);
      spending.current += amount;
      spending.allowance = Math.min(maxOf(limit), spending.allowance + amount * WASTE_SHARE);
    }
    return true;
  }

  /** Adds tokens that were requested at `requestedAtMs`. */
  add(limit: Limit, granted: number, requestedAtMs: number): void {
    const remaining = this.available(limit);
    if (this.prefetched.size > ENTRIES_MAX || this.spendings.size > ENTRIES_MAX) this.deleteExpired();
    // Added tokens must not extend the lifetime of earlier ones.
    const earlierExpiry = remaining > 0 ? this.prefetched.get(limit.name)?.expiresAtMs : undefined;
    this.prefetched.set(limit.name, {
      tokens: remaining + granted,
      expiresAtMs: earlierExpiry ?? requestedAtMs + PREFETCH_TTL_MS,
    });
  }

  /** Returns how many tokens are worth prefetching: at most what was spent recently, and few while many expire unspent. */
  prefetchOf(limit: Limit): number {
    const { current, previous, allowance } = this.spendingOf(limit);
    return Math.floor(Math.min(maxOf(limit), Math.max(current, previous), allowance));
  }

  private spendingOf({ name }: Limit): Spending {
    const span = this.span();
    const existing = this.spendings.get(name);
    if (existing?.span === span) return existing;
    const previous = existing?.span === span - 1 ? existing.current : 0;
    const spending = { span, current: 0, previous, allowance: existing?.allowance ?? 0 };
    this.spendings.set(name, spending);
    return spending;
  }

  private span(): number {
    return Math.floor(this.nowMs() / PREFETCH_TTL_MS);
  }

  private deleteExpired(): void {
    const now = this.nowMs();
    for (const [key, { expiresAtMs }] of this.prefetched) if (expiresAtMs <= now) this.prefetched.delete(key);
    const oldest = this.span() - 1;
    for (const [key, { span }] of this.spendings) if (span < oldest) this.spendings.delete(key);
  }
}

const maxOf = ({ counters }: Limit) =>
  Math.floor(Math.min(...counters.map(({ ceiling }) => ceiling)) * PREFETCH_SHARE);
