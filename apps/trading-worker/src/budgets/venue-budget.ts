/**
 * The call budget of one exchange and one local address in one worker.
 *
 * 1. Tokens are prefetched from Redis in bulk, so most calls need no round trip. Prefetched tokens that are not spent
 *    within `PREFETCH_TTL_MS` are discarded. A worker prefetches no more than it spent in the preceding
 *    `PREFETCH_TTL_MS`, and at most a twentieth of what it spends expires unspent. Only calls of the same purpose spend them.
 * 2. Calls are admitted in the order of their purposes, exits first. `shares.ts` says what each purpose may use. Among
 *    the calls of one purpose, users take turns.
 * 3. An account or a user at a limit of their own does not block others.
 * 4. While Redis is unavailable, the worker spends its own part of the limits and reports the usage to Redis later.
 */
import {
  type BudgetedCall,
  CALL_PURPOSES,
  type CallBudget,
  type CallPurpose,
  ExchangeError,
  purposeOf,
  queuesByPurpose,
} from '@trading-automation/exchanges';
import { TokenPool } from './prefetched-tokens.js';
import type { TokenRequest } from './redis-sliding-windows.js';
import { type Blocking, type Limit, type Need, type SharedLimits } from './shared-limits.js';

/** How long this worker uses its own part of the limits after a Redis error, before it tries Redis again. */
const FALLBACK_DURATION_MS = 1_000;
/** How often waiting calls are tried at least. */
const ATTEMPT_EVERY_MS = 1_000;
/** From this number of denied requests on, expired ones are deleted. */
const BACKPRESSURE_MAX = 10_000;

/** Redis would deny a request for `minimum` or more tokens until `untilMs`. */
interface Backpressure {
  readonly minimum: number;
  /** Which other calls wait behind a call that is denied. */
  readonly blocks: Blocking;
  readonly untilMs: number;
}
interface Waiting {
  readonly call: BudgetedCall;
  readonly purpose: CallPurpose;
  readonly needs: readonly Need[];
  readonly signal: AbortSignal;
  readonly admit: () => void;
  readonly reject: (error: unknown) => void;
}

export class VenueBudget {
  private readonly queues = queuesByPurpose<Waiting>();
  private readonly tokens: TokenPool;
  /** Requests that Redis would currently deny, by the name of the limit. */
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
  ) {
    this.tokens = new TokenPool(nowMs);
  }

  async take(call: BudgetedCall, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw rateLimited();
    if (this.nowMs() < this.fallbackUntilMs) return this.takeFromFallback(call, signal);
    const purpose = purposeOf(call);
    const needs = this.shared.needsOf(call);
    if (!this.hasQueuedAhead(purpose) && !this.isPaused() && this.tokens.spend(needs)) return;
    await new Promise<void>((resolve, reject) => {
      const queue = this.queues[purpose];
      const onAbort = () => {
        const retryInMs = call.userId === undefined ? 0 : this.ownWaitMs(needs);
        queue.delete(waiting);
        reject(rateLimited(retryInMs));
      };
      const end = (settle: () => void) => {
        signal.removeEventListener('abort', onAbort);
        settle();
      };
      const waiting: Waiting = {
        call,
        purpose,
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

  /**
   * Returns how long calls of the user that wait for a limit of the user or of an account have to wait, in ms. Returns 0
   * if none waits, or if they wait for something else.
   */
  userWaitMs(userId: string | undefined): number {
    if (userId === undefined) return 0;
    const waiting = CALL_PURPOSES.flatMap((purpose) => [...this.queues[purpose].of(userId)]);
    return waiting.reduce((longest, { needs }) => Math.max(longest, this.ownWaitMs(needs)), 0);
  }

  /** Returns how long the limits of a user or an account hold up a call, in ms; 0 if none of them does. */
  private ownWaitMs(needs: readonly Need[]): number {
    const denied = needs
      .map(({ limit }) => this.backpressure.get(limit.name))
      .filter((denial) => denial?.blocks === 'none');
    return Math.max(0, ...denied.map((denial) => Math.ceil(Math.max(1, denial!.untilMs - this.nowMs()))));
  }

  pause(forMs: number): void {
    this.pausedUntilMs = Math.max(this.pausedUntilMs, this.nowMs() + forMs);
    this.shared.pause(forMs).catch(this.onError);
    this.fallback().pause(this.shared.venue, forMs, this.shared.egress);
  }

  private isPaused(): boolean {
    return this.nowMs() < this.pausedUntilMs;
  }

  private hasQueuedAhead(purpose: CallPurpose): boolean {
    return CALL_PURPOSES.slice(0, CALL_PURPOSES.indexOf(purpose) + 1).some(
      (each) => this.queues[each].size > 0,
    );
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
    if (CALL_PURPOSES.some((purpose) => this.queues[purpose].size > 0)) this.wakeIn(this.nextAttemptInMs());
  }

  /** Admits waiting calls. Returns the tokens that the remaining calls lack, except those that Redis would deny now. */
  private admitWaiting(): readonly TokenDeficit[] {
    const deficits = new Map<string, TokenDeficit>();
    let blocks: Blocking = 'none';
    for (const purpose of CALL_PURPOSES) {
      if (blocks === 'purpose') blocks = 'none';
      for (const waiting of this.queues[purpose].inTurns()) {
        if (this.tokens.spend(waiting.needs)) {
          this.queues[purpose].admit(waiting);
          waiting.admit();
        } else if (blocks === 'none') blocks = this.addDeficits(waiting, deficits);
      }
    }
    return [...deficits.values()];
  }

  /** Adds the tokens that a call lacks to `deficits`. Returns which other calls may not request tokens before it. */
  private addDeficits(waiting: Waiting, deficits: Map<string, TokenDeficit>): Blocking {
    const lacking = waiting.needs.filter(({ limit, amount }) => this.tokens.available(limit) < amount);
    const denied = lacking.flatMap(({ limit, amount }) => this.denialOf(limit, amount) ?? []);
    // Tokens of the other limits would expire while the call waits for this one.
    if (denied.length > 0) return denied.find(({ blocks }) => blocks !== 'none')?.blocks ?? 'none';
    for (const { limit, amount } of lacking) addDeficit(deficits, waiting.purpose, limit, amount);
    return 'none';
  }

  private async requestTokens(deficits: readonly TokenDeficit[]): Promise<void> {
    const requestedAtMs = this.nowMs();
    const weightIndex = deficits.findIndex(({ limit }) => limit.counters[0]?.blocks === 'all');
    const unreported = weightIndex < 0 ? 0 : this.spentInFallback;
    const requests = deficits.map((deficit, i) =>
      this.tokenRequestOf(deficit, i === weightIndex ? unreported : 0),
    );
    const { pausedMs, grants } = await this.shared.acquire(requests);
    this.spentInFallback -= unreported;
    if (pausedMs > 0) this.pausedUntilMs = Math.max(this.pausedUntilMs, this.nowMs() + pausedMs);
    if (this.backpressure.size > BACKPRESSURE_MAX) this.deleteExpired();
    for (const [i, { granted, retryInMs, shortIndex }] of grants.entries()) {
      const { limit, minimum } = deficits[i]!;
      if (granted > 0) this.tokens.add(limit, granted, requestedAtMs);
      if (granted < requests[i]!.wanted) {
        const blocks = limit.counters[shortIndex]?.blocks ?? 'none';
        this.backpressure.set(limit.name, { minimum, blocks, untilMs: this.nowMs() + retryInMs });
      } else this.backpressure.delete(limit.name);
    }
  }

  private tokenRequestOf({ purpose, limit, amount, minimum }: TokenDeficit, spent: number): TokenRequest {
    const available = this.tokens.available(limit);
    // Exits request only the tokens that they need, so what is reserved for them is never prefetched.
    const prefetch = purpose === 'exit' ? 0 : this.tokens.prefetchOf(limit);
    return {
      counters: limit.counters,
      wanted: Math.max(1, amount + prefetch - available),
      minimum: Math.max(1, minimum - available),
      spent,
    };
  }

  /** Returns the last denial of such a request, while Redis would still deny it. */
  private denialOf({ name }: Limit, amount: number): Backpressure | undefined {
    const denied = this.backpressure.get(name);
    return denied !== undefined && amount >= denied.minimum && this.nowMs() < denied.untilMs
      ? denied
      : undefined;
  }

  private deleteExpired(): void {
    const now = this.nowMs();
    for (const [name, { untilMs }] of this.backpressure) if (untilMs <= now) this.backpressure.delete(name);
  }

  private nextAttemptInMs(): number {
    const now = this.nowMs();
    if (this.isPaused()) return this.pausedUntilMs - now;
    let soonestMs = ATTEMPT_EVERY_MS;
    for (const { untilMs } of this.backpressure.values())
      if (untilMs > now) soonestMs = Math.min(soonestMs, untilMs - now);
    return Math.max(1, soonestMs);
  }

  private enterFallback(): void {
    this.fallbackUntilMs = this.nowMs() + FALLBACK_DURATION_MS;
    for (const purpose of CALL_PURPOSES) {
      for (const waiting of this.queues[purpose].inTurns()) {
        this.queues[purpose].delete(waiting);
        this.takeFromFallback(waiting.call, waiting.signal).then(waiting.admit, waiting.reject);
      }
    }
  }

  private async takeFromFallback(call: BudgetedCall, signal: AbortSignal): Promise<void> {
    await this.fallback().take(call, signal);
    this.spentInFallback += call.weight;
  }
}

interface TokenDeficit {
  readonly purpose: CallPurpose;
  readonly limit: Limit;
  /** The tokens that all waiting calls with this limit need together. */
  readonly amount: number;
  /** The tokens that the smallest of these calls needs. */
  readonly minimum: number;
}

function addDeficit(
  deficits: Map<string, TokenDeficit>,
  purpose: CallPurpose,
  limit: Limit,
  amount: number,
): void {
  const { amount: sum, minimum } = deficits.get(limit.name) ?? { amount: 0, minimum: amount };
  // The rest follows after the turns of the other users.
  if (sum > 0 && sum + amount > limit.turn) return;
  deficits.set(limit.name, { purpose, limit, amount: sum + amount, minimum: Math.min(minimum, amount) });
}

/** @param retryInMs set if the user's own share is used up */
const rateLimited = (retryInMs = 0) =>
  new ExchangeError(
    'retryable',
    'rate_limited',
    'The rate limit of the exchange is reached. Try again later.',
    retryInMs > 0 ? { retryInMs } : {},
  );
