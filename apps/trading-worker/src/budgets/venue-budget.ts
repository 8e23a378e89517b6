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
import type { Demand, SharedWindows } from './shared-windows.js';

export interface VenueLimits {
  /** Of all calls to the exchange from this deployment's address. */
  readonly weightPerMinute: number;
  /** New orders of each account. */
  readonly ordersPer10s: number;
}

export interface VenueBudgetParts {
  readonly venue: string;
  readonly limits: VenueLimits;
  readonly windows: SharedWindows;
  /** The worker's own part, for as long as Redis is away. */
  readonly alone: () => CallBudget;
  readonly onError: (error: unknown) => void;
  readonly nowMs?: () => number;
}

type Rank = 'exit' | 'entry' | 'other';
const RANKS: readonly Rank[] = ['exit', 'entry', 'other'];
/** How much of a limit each rank may use. */
const SHARE: Readonly<Record<Rank, number>> = { exit: 1, entry: 0.9, other: 0.8 };

/** No longer than a tenth of the shortest window. */
const STOCK_LASTS_MS = 1_000;
/** The most of a limit that is taken in advance. */
const BULK = 0.02;
const AWAY_MS = 1_000;
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
interface Stock {
  tokens: number;
  goodUntilMs: number;
}
/** What was spent of a limit, in the span that has begun and in the one before it. */
interface Spending {
  span: number;
  now: number;
  before: number;
}
/** Until when nothing as large as this is granted. */
interface Dry {
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
  private readonly queues: Readonly<Record<Rank, Set<Waiting>>> = {
    exit: new Set(),
    entry: new Set(),
    other: new Set(),
  };
  private readonly stocks = new Map<string, Stock>();
  private readonly spendings = new Map<string, Spending>();
  /** What asking brings nothing for, by rank and limit. */
  private readonly dry = new Map<string, Dry>();
  private pausedUntilMs = 0;
  private awayUntilMs = 0;
  private spentAlone = 0;
  private isServing = false;
  private timer: NodeJS.Timeout | undefined;
  private soon: NodeJS.Immediate | undefined;

  constructor(private readonly parts: VenueBudgetParts) {}

  async take(call: BudgetedCall, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw exhausted();
    if (this.nowMs() < this.awayUntilMs) return this.takeAlone(call, signal);
    const rank = rankOf(call);
    const needs = this.needsOf(call);
    if (!this.isAnyoneBefore(rank) && !this.isPaused() && this.spend(needs)) return;
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
        void this.serve();
      });
    });
  }

  pause(forMs: number): void {
    this.pausedUntilMs = Math.max(this.pausedUntilMs, this.nowMs() + forMs);
    this.parts.windows.pause(this.parts.venue, forMs).catch(this.parts.onError);
    this.parts.alone().pause(this.parts.venue, forMs);
  }

  private nowMs(): number {
    return this.parts.nowMs?.() ?? performance.now();
  }

  private isPaused(): boolean {
    return this.nowMs() < this.pausedUntilMs;
  }

  private isAnyoneBefore(rank: Rank): boolean {
    return RANKS.slice(0, RANKS.indexOf(rank) + 1).some((each) => this.queues[each].size > 0);
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
    if (!needs.every(({ limit, amount }) => this.stockOf(limit) >= amount)) return false;
    for (const { limit, amount } of needs) {
      const stock = this.stocks.get(limit.key);
      if (stock !== undefined) stock.tokens -= amount;
      this.spendingOf(limit).now += amount;
    }
    return true;
  }

  private spendingOf({ key }: Limit): Spending {
    const span = Math.floor(this.nowMs() / STOCK_LASTS_MS);
    const known = this.spendings.get(key);
    if (known?.span === span) return known;
    const before = known?.span === span - 1 ? known.now : 0;
    const spending = { span, now: 0, before };
    this.spendings.set(key, spending);
    return spending;
  }

  private stockOf({ key }: Limit): number {
    const stock = this.stocks.get(key);
    if (stock === undefined) return 0;
    if (this.nowMs() < stock.goodUntilMs) return stock.tokens;
    this.stocks.delete(key);
    return 0;
  }

  private wakeIn(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.serve(), ms);
    this.timer.unref();
  }

  /** Lets through whoever can go, asks for what the others lack, and comes back when there may be more. */
  private async serve(): Promise<void> {
    if (this.isServing) return;
    this.isServing = true;
    try {
      while (!this.isPaused()) {
        const lacking = this.letThrough();
        if (lacking.length === 0) break;
        await this.ask(lacking);
      }
    } catch (error) {
      this.parts.onError(error);
      this.goAlone();
    } finally {
      this.isServing = false;
    }
    if (RANKS.some((rank) => this.queues[rank].size > 0)) this.wakeIn(this.untilMoreMs());
  }

  /** What those who can't go lack, by rank and limit, but for what is known to be dry. */
  private letThrough(): readonly Lack[] {
    const lacking = new Map<string, Lack>();
    let isHeldUp = false;
    for (const rank of RANKS) {
      for (const waiting of this.queues[rank]) {
        if (!isHeldUp && this.spend(waiting.needs)) {
          this.queues[rank].delete(waiting);
          waiting.go();
          continue;
        }
        for (const { limit, amount } of waiting.needs) {
          const isLacking = this.stockOf(limit) < amount;
          // Whoever lacks what all need holds up all behind: else many small calls would keep a large one waiting.
          isHeldUp ||= isLacking && limit.key === WEIGHT;
          const name = `${rank} ${limit.key}`;
          if (!(isLacking || isHeldUp) || this.isDry(name, amount)) continue;
          const before = lacking.get(name) ?? { amount: 0, least: amount };
          const least = Math.min(before.least, amount);
          lacking.set(name, { name, rank, limit, amount: before.amount + amount, least });
        }
      }
    }
    return [...lacking.values()];
  }

  private async ask(lacking: readonly Lack[]): Promise<void> {
    const askedAtMs = this.nowMs();
    const debtor = lacking.findIndex(({ limit }) => limit.key === WEIGHT);
    const debt = debtor < 0 ? 0 : this.spentAlone;
    const demands = lacking.map((lack, i) => this.demandOf(lack, i === debtor ? debt : 0));
    const { pausedMs, grants } = await this.parts.windows.ask(this.parts.venue, demands);
    this.spentAlone -= debt;
    if (pausedMs > 0) this.pausedUntilMs = Math.max(this.pausedUntilMs, this.nowMs() + pausedMs);
    for (const [i, { granted, retryInMs }] of grants.entries()) {
      const { name, limit, least } = lacking[i]!;
      if (granted > 0) this.addToStock(limit, granted, askedAtMs);
      if (granted < demands[i]!.wanted) this.dry.set(name, { least, untilMs: this.nowMs() + retryInMs });
      else this.dry.delete(name);
    }
  }

  private demandOf({ rank, limit, amount, least }: Lack, spent: number): Demand {
    const inStock = this.stockOf(limit);
    // What is left for exits alone is taken only as it is needed.
    const { now, before } = this.spendingOf(limit);
    const bulk = rank === 'exit' ? 0 : Math.min(Math.floor(limit.max * BULK), Math.max(now, before));
    return {
      key: limit.key,
      ceiling: Math.max(1, Math.floor(limit.max * SHARE[rank])),
      windowMs: limit.windowMs,
      wanted: Math.max(1, amount + bulk - inStock),
      least: Math.max(1, least - inStock),
      spent,
    };
  }

  private addToStock(limit: Limit, granted: number, askedAtMs: number): void {
    const left = this.stockOf(limit);
    const goodUntilMs = askedAtMs + STOCK_LASTS_MS;
    if (this.stocks.size > STOCKS_MAX) this.forgetOld();
    // What was there already must not last longer for what is added.
    const sooner = left > 0 ? this.stocks.get(limit.key)?.goodUntilMs : undefined;
    this.stocks.set(limit.key, { tokens: left + granted, goodUntilMs: sooner ?? goodUntilMs });
  }

  private isDry(name: string, amount: number): boolean {
    const dry = this.dry.get(name);
    return dry !== undefined && amount >= dry.least && this.nowMs() < dry.untilMs;
  }

  private forgetOld(): void {
    const now = this.nowMs();
    for (const [key, { goodUntilMs }] of this.stocks) if (goodUntilMs <= now) this.stocks.delete(key);
    for (const [name, { untilMs }] of this.dry) if (untilMs <= now) this.dry.delete(name);
    const span = Math.floor(now / STOCK_LASTS_MS);
    for (const [key, spending] of this.spendings) if (spending.span < span - 1) this.spendings.delete(key);
  }

  private untilMoreMs(): number {
    const now = this.nowMs();
    if (this.isPaused()) return this.pausedUntilMs - now;
    let soonestMs = STOCK_LASTS_MS;
    for (const { untilMs } of this.dry.values())
      if (untilMs > now) soonestMs = Math.min(soonestMs, untilMs - now);
    return Math.max(1, soonestMs);
  }

  private goAlone(): void {
    this.awayUntilMs = this.nowMs() + AWAY_MS;
    for (const rank of RANKS) {
      for (const waiting of this.queues[rank]) {
        this.queues[rank].delete(waiting);
        this.takeAlone(waiting.call, waiting.signal).then(waiting.go, waiting.fail);
      }
    }
  }

  private async takeAlone(call: BudgetedCall, signal: AbortSignal): Promise<void> {
    await this.parts.alone().take(call, signal);
    this.spentAlone += call.weight;
  }
}

const STOCKS_MAX = 10_000;

interface Lack {
  readonly name: string;
  readonly rank: Rank;
  readonly limit: Limit;
  /** What all who wait for it need together, and the one who needs least. */
  readonly amount: number;
  readonly least: number;
}

function rankOf({ isOrder, isExit }: BudgetedCall): Rank {
  if (isExit === true) return 'exit';
  return isOrder ? 'entry' : 'other';
}

const exhausted = () =>
  new ExchangeError('retryable', 'rate_limited', 'The exchange allows no more requests at the moment.');
