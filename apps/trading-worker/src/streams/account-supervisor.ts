/**
 * Keeps one account heard of, for as long as it is this worker's.
 *
 * 1. A connection's events count only once what was missed before it is made up for; until then they wait in their
 *    order, and follow then.
 * 2. A connection that ends is followed by another, later each time it fails, and never silently: the account's state
 *    says how it stands.
 * 3. A stream that looks alive is not believed: the account is compared with its exchange from time to time, and a
 *    stream that does not tell of a fill that is known from elsewhere is given up for another one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnedAccount } from '@trading-automation/core/exchange-accounts';
import { fillKey } from '@trading-automation/core/trades';
import {
  type Balances,
  type ExchangeClient,
  ExchangeError,
  type VenueFill,
  type VenueOrder,
} from '@trading-automation/exchanges';
import type { Repaired } from './account-repair.js';
import { type Backoff, backoffMs, type Turns } from './backoff.js';

/**
 * - `CONNECTING`, `REPAIRING`: on the way to being heard of.
 * - `LIVE`: what happens is told by the exchange. `POLLING`: the exchange has no stream, and is asked.
 * - `LOST`: nothing is heard of the account, and the next try is to come.
 */
export type WatchState = 'CONNECTING' | 'REPAIRING' | 'LIVE' | 'POLLING' | 'LOST';

export interface SupervisorTimes {
  readonly backoff: Backoff;
  readonly repairEveryMs: number;
  readonly pollEveryMs: number;
  /** How late a stream may tell of a fill that is known already. */
  readonly owedWithinMs: number;
}
export const SUPERVISOR_TIMES: SupervisorTimes = {
  backoff: { firstMs: 1_000, maxMs: 30_000 },
  repairEveryMs: 60_000,
  pollEveryMs: 5_000,
  owedWithinMs: 5_000,
};

export interface SupervisorParts {
  readonly times: SupervisorTimes;
  /** Shared by all accounts, so that those that were lost at once come back one after another. */
  readonly turns: Turns;
  connect(): Promise<ExchangeClient>;
  repair(client: ExchangeClient): Promise<Repaired>;
  onOrder(order: VenueOrder, fills: readonly VenueFill[]): void;
  onBalances(balances: Balances): void;
  onState(state: WatchState, error?: unknown): void;
}

type Event = () => void;

/** Heard lately: enough to tell a fill that was told from one that is owed. */
const HEARD_MAX = 256;
/** What waits for a repair that does not end is given up with the connection, and repaired by the next. */
const WAITING_MAX = 10_000;

export class AccountSupervisor {
  private readonly stopping = new AbortController();
  private life = new AbortController();
  private waiting: Event[] | null = null;
  private readonly heard = new Set<string>();
  private readonly owed = new Map<string, NodeJS.Timeout>();
  private failures = 0;
  private wakeUp: (() => void) | undefined;
  private current: WatchState = 'CONNECTING';
  private readonly running: Promise<void>;

  constructor(
    readonly account: OwnedAccount,
    private readonly parts: SupervisorParts,
  ) {
    this.running = this.run();
  }

  get state(): WatchState {
    return this.current;
  }

  get isLive(): boolean {
    return this.current === 'LIVE';
  }

  /** Has the account compared with its exchange now, and not only when it is time. */
  repairSoon(): void {
    this.wakeUp?.();
  }

  /** These fills are known from elsewhere: a stream that is alive tells of them as well. */
  owes(fills: readonly string[]): void {
    if (!this.isLive) return;
    for (const key of fills) {
      if (this.heard.has(key) || this.owed.has(key)) continue;
      const timer = setTimeout(
        () => this.life.abort(new Error('the stream did not tell of a fill')),
        this.parts.times.owedWithinMs,
      );
      timer.unref();
      this.owed.set(key, timer);
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('stopped'));
    this.life.abort(this.stopping.signal.reason);
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      this.life = new AbortController();
      const error = await this.live().catch((reason: unknown) => reason);
      this.forgetOwed();
      if (signal.aborted) return;
      this.failures++;
      this.enter('LOST', error);
      await pause(backoffMs(this.parts.times.backoff, this.failures, Math.random()), signal);
    }
  }

  /** One connection's life; ends by throwing what ended it. */
  private async live(): Promise<never> {
    this.enter('CONNECTING');
    const client = await this.parts.turns.run(() => this.parts.connect());
    if (!client.hasStream) return this.poll(client);
    this.waiting = [];
    const { signal } = this.life;
    let onConnected: () => void = () => undefined;
    const connected = new Promise<void>((resolve) => {
      onConnected = resolve;
    });
    const stream = client.watch({
      onConnected,
      onLost: (error) => this.life.abort(error),
      onOrder: (order, fills) => this.hear(() => this.onOrder(order, fills)),
      onBalances: (balances) => this.hear(() => this.parts.onBalances(balances)),
    });
    try {
      await endedBy(signal, connected);
      this.enter('REPAIRING');
      await this.repair(client);
      this.followUp();
      this.enter('LIVE');
      this.failures = 0;
      return await this.keepComparing(client);
    } finally {
      this.waiting = null;
      await stream.close();
    }
  }

  private async poll(client: ExchangeClient): Promise<never> {
    for (;;) {
      await this.repair(client);
      this.enter('POLLING');
      this.failures = 0;
      await this.pauseOrWake(this.parts.times.pollEveryMs);
    }
  }

  private async keepComparing(client: ExchangeClient): Promise<never> {
    const { repairEveryMs, backoff } = this.parts.times;
    let misses = 0;
    let nextInMs = repairEveryMs;
    for (;;) {
      await this.pauseOrWake(nextInMs * (0.75 + Math.random() / 2));
      try {
        this.owes(await this.repair(client));
        misses = 0;
        nextInMs = repairEveryMs;
      } catch (error) {
        this.life.signal.throwIfAborted();
        if (error instanceof ExchangeError && error.outcome === 'fatal') throw error;
        // The stream is alive all the same; the comparison is made up for, less often where the exchange has enough.
        misses++;
        this.parts.onState(this.current, error);
        const isTooMuch = error instanceof ExchangeError && error.code === 'rate_limited';
        nextInMs = isTooMuch ? repairEveryMs * 2 ** Math.min(misses, 4) : backoffMs(backoff, misses, 1);
      }
    }
  }

  private async repair(client: ExchangeClient): Promise<readonly string[]> {
    const { fills } = await endedBy(
      this.life.signal,
      this.parts.turns.run(() => this.parts.repair(client)),
    );
    return fills;
  }

  private hear(event: Event): void {
    if (this.waiting === null) {
      event();
      return;
    }
    this.waiting.push(event);
    if (this.waiting.length > WAITING_MAX) this.life.abort(new Error('too much happened before the repair'));
  }

  private followUp(): void {
    const events = this.waiting ?? [];
    this.waiting = null;
    for (const event of events) event();
  }

  private onOrder(order: VenueOrder, fills: readonly VenueFill[]): void {
    for (const fill of fills) {
      const key = fillKey(fill);
      this.heard.add(key);
      clearTimeout(this.owed.get(key));
      this.owed.delete(key);
    }
    for (const key of this.heard) {
      if (this.heard.size <= HEARD_MAX) break;
      this.heard.delete(key);
    }
    this.parts.onOrder(order, fills);
  }

  private forgetOwed(): void {
    for (const timer of this.owed.values()) clearTimeout(timer);
    this.owed.clear();
  }

  private enter(state: WatchState, error?: unknown): void {
    this.current = state;
    this.parts.onState(state, error);
  }

  private async pauseOrWake(ms: number): Promise<void> {
    const woken = new AbortController();
    this.wakeUp = () => woken.abort();
    await pause(ms, AbortSignal.any([woken.signal, this.life.signal]));
    this.wakeUp = undefined;
    this.life.signal.throwIfAborted();
  }
}

/** The work's outcome, or the reason of the signal where that comes first: the work is nobody's concern then. */
function endedBy<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

const pause = (ms: number, signal: AbortSignal) =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
