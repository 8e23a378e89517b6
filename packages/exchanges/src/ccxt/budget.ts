/**
 * The call budget of one process: it keeps this process within the exchange's rate limits.
 *
 * An exchange counts calls in windows that start on its own clock. The budget limits the usage of every period that is
 * one second longer than a window. It therefore stays within the rate limits wherever the windows start. Calls are
 * admitted in the order of their purposes, exits first; among the calls of one purpose, users take turns. Calls whose
 * purpose is stated leave a part of the weight to the purposes before theirs.
 */
import {
  accountWeightOf,
  type BudgetedCall,
  CALL_PURPOSES,
  type CallBudget,
  type CallPurpose,
  purposeOf,
  queuesByPurpose,
} from '../call-budget.js';
import { failure } from './failures.js';

export interface VenueRateLimits {
  /** The request weight of all calls to the exchange together. */
  readonly weightPerMinute: number;
  /** The new orders of one account. */
  readonly ordersPer10s: number;
  /** The request weight of one account; undefined if the exchange does not count it. */
  readonly accountLimit?: AccountLimit | undefined;
}

/** The request weight that one account may use in any time range of `windowMs`. */
export interface AccountLimit {
  readonly weight: number;
  /** At least 6 s, and whole seconds. */
  readonly windowMs: number;
}

/** A monotonic clock in milliseconds, and a timer. */
export interface BudgetClock {
  now(): number;
  /** @returns a function that cancels the timer */
  after(ms: number, wake: () => void): () => void;
}

const CLOCK: BudgetClock = {
  now: () => performance.now(),
  after: (ms, wake) => {
    const timer = setTimeout(wake, ms);
    return () => clearTimeout(timer);
  },
};

/** Counts the usage of the last `seconds` seconds, with one counter per second. */
class SlidingWindow {
  readonly #bySecond = new Map<number, number>();
  #used = 0;

  constructor(
    private readonly seconds: number,
    private readonly limit: number,
  ) {}

  /**
   * Returns the milliseconds until `amount` may be spent; 0 if it may be spent now. An amount above the limit may be
   * spent when nothing else is counted.
   */
  waitMs(amount: number, now: number, share = 1): number {
    this.#evict(now);
    if (this.#used === 0 || this.#used + amount <= this.limit * share) return 0;
    const [oldest = 0] = this.#bySecond.keys();
    return Math.max(1, (oldest + this.seconds + 1) * 1_000 - now);
  }

  spend(amount: number, now: number): void {
    const second = Math.floor(now / 1_000);
    this.#bySecond.set(second, (this.#bySecond.get(second) ?? 0) + amount);
    this.#used += amount;
  }

  isIdle(now: number): boolean {
    this.#evict(now);
    return this.#used === 0;
  }

  #evict(now: number): void {
    const firstSecond = Math.floor(now / 1_000) - this.seconds;
    for (const [second, amount] of this.#bySecond) {
      if (second >= firstSecond) return;
      this.#bySecond.delete(second);
      this.#used -= amount;
    }
  }
}

/** The usage of one account. */
interface AccountUsage {
  readonly orders: SlidingWindow;
  /** Undefined if the exchange does not count the weight of an account. */
  readonly weight: SlidingWindow | undefined;
}

interface WaitingCall {
  readonly call: BudgetedCall;
  readonly admit: () => void;
}

/** The share of the weight that may be used when a call of this purpose is admitted; of others, all of it. */
const SHARES: Readonly<Partial<Record<CallPurpose, number>>> = {
  repair: 0.9,
  copy: 0.75,
  copy_read: 0.65,
  check: 0.5,
  rotation: 0.25,
};

export class LocalBudget implements CallBudget {
  readonly #weight: SlidingWindow;
  readonly #accounts = new Map<string, AccountUsage>();
  readonly #queues = queuesByPurpose<WaitingCall>();
  #pausedUntil = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(
    private readonly limits: VenueRateLimits,
    private readonly clock: BudgetClock = CLOCK,
  ) {
    this.#weight = new SlidingWindow(60, limits.weightPerMinute);
  }

  async take(call: BudgetedCall, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw failure(['retryable', 'rate_limited']);
    // Calls of the same or an earlier purpose that already wait are admitted first.
    const rank = CALL_PURPOSES.indexOf(purposeOf(call));
    const isFirst = CALL_PURPOSES.every((purpose, i) => i > rank || this.#queues[purpose].size === 0);
    if (isFirst && this.#sharedWaitMs(call) + this.#accountWaitMs(call) === 0) {
      this.#spend(call);
      return;
    }
    await this.#queue(call, signal);
  }

  pause(_venue: string, forMs: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.clock.now() + forMs);
  }

  #queue(call: BudgetedCall, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const queue = this.#queues[purposeOf(call)];
      const onAbort = () => {
        queue.delete(waiting);
        reject(failure(['retryable', 'rate_limited']));
        this.#advance();
      };
      const waiting: WaitingCall = {
        call,
        admit: () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      queue.add(waiting);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#advance();
    });
  }

  #advance(): void {
    this.#cancelTimer?.();
    const soonestMs = this.#admitWaiting();
    this.#cancelTimer =
      soonestMs === undefined ? undefined : this.clock.after(soonestMs, () => this.#advance());
  }

  /**
   * Admits every waiting call that may be sent now. Returns the milliseconds until the next one may be sent; undefined
   * if none waits. A call that waits for a limit of its account does not block other accounts. A call that waits for the
   * weight of the address blocks every later call.
   */
  #admitWaiting(): number | undefined {
    let soonestMs: number | undefined;
    for (const purpose of CALL_PURPOSES) {
      for (const waiting of this.#queues[purpose].inTurns()) {
        const sharedMs = this.#sharedWaitMs(waiting.call);
        const waitMs = Math.max(sharedMs, this.#accountWaitMs(waiting.call));
        if (waitMs === 0) this.#admit(waiting);
        else soonestMs = Math.min(soonestMs ?? waitMs, waitMs);
        if (sharedMs > 0) return soonestMs;
      }
    }
    return soonestMs;
  }

  #admit(waiting: WaitingCall): void {
    this.#queues[purposeOf(waiting.call)].admit(waiting);
    this.#spend(waiting.call);
    waiting.admit();
  }

  #accountWaitMs(call: BudgetedCall): number {
    const usage = this.#usageOf(call);
    if (usage === undefined) return 0;
    const now = this.clock.now();
    const ordersMs = call.isOrder ? usage.orders.waitMs(1, now) : 0;
    const weight = accountWeightOf(call);
    const weightMs = weight > 0 ? (usage.weight?.waitMs(weight, now, shareOf(call)) ?? 0) : 0;
    return Math.max(ordersMs, weightMs);
  }

  #sharedWaitMs(call: BudgetedCall): number {
    const now = this.clock.now();
    return Math.max(this.#weight.waitMs(call.weight, now, shareOf(call)), this.#pausedUntil - now, 0);
  }

  #spend(call: BudgetedCall): void {
    const now = this.clock.now();
    this.#weight.spend(call.weight, now);
    const usage = this.#usageOf(call);
    if (call.isOrder) usage?.orders.spend(1, now);
    usage?.weight?.spend(accountWeightOf(call), now);
  }

  /** Returns the usage of the call's account; undefined if the call counts towards none of its limits. */
  #usageOf({ accountKey, isOrder }: BudgetedCall): AccountUsage | undefined {
    const { accountLimit, ordersPer10s } = this.limits;
    if (accountKey === undefined || (!isOrder && accountLimit === undefined)) return undefined;
    const existing = this.#accounts.get(accountKey);
    if (existing !== undefined) return existing;
    this.#deleteIdle();
    const usage = {
      orders: new SlidingWindow(10, ordersPer10s),
      weight: accountLimit && new SlidingWindow(accountLimit.windowMs / 1_000, accountLimit.weight),
    };
    this.#accounts.set(accountKey, usage);
    return usage;
  }

  /**
   * Checks the four accounts at the start of the map. Deletes the idle ones and moves the others to the end, so that the
   * next call checks other accounts. A check of all accounts would delay an order.
   */
  #deleteIdle(): void {
    let remaining = 4;
    const now = this.clock.now();
    for (const [key, usage] of this.#accounts) {
      if (remaining-- === 0) return;
      this.#accounts.delete(key);
      const isIdle = usage.orders.isIdle(now) && usage.weight?.isIdle(now) !== false;
      if (!isIdle) this.#accounts.set(key, usage);
    }
  }
}

/** Returns the share of a weight that may be used when the call is admitted. */
const shareOf = ({ purpose }: BudgetedCall) => (purpose === undefined ? 1 : (SHARES[purpose] ?? 1));

/** The budgets of one venue in one process. */
export class VenueBudgets implements CallBudget {
  readonly #byKey: ReadonlyMap<string, LocalBudget>;

  constructor(limits: ReadonlyMap<string, VenueRateLimits>) {
    this.#byKey = new Map([...limits].map(([key, each]) => [key, new LocalBudget(each)]));
  }

  take(call: BudgetedCall, signal: AbortSignal): Promise<void> {
    return this.#budgetOf(call.venue).take(call, signal);
  }

  pause(key: string, forMs: number): void {
    this.#budgetOf(key).pause(key, forMs);
  }

  #budgetOf(key: string): LocalBudget {
    const budget = this.#byKey.get(key);
    if (budget === undefined) throw new Error(`no call budget ${key}`);
    return budget;
  }
}
