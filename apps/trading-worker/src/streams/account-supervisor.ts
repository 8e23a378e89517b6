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
import type { ReconcileSummary } from './account-reconciler.js';
import { type Backoff, backoffMs, type Semaphore } from './backoff.js';

/**
 * - `CONNECTING`, `REPAIRING`: on the way to being heard of.
 * - `LIVE`: what happens is told by the exchange. `POLLING`: the exchange has no stream, and is asked.
 * - `LOST`: nothing is heard of the account, and the next try is to come.
 */
export type StreamState = 'CONNECTING' | 'REPAIRING' | 'LIVE' | 'POLLING' | 'LOST';

export interface SupervisorTimes {
  readonly backoff: Backoff;
  readonly reconcileEveryMs: number;
  readonly pollEveryMs: number;
  /** How late a stream may tell of a fill that is known already. */
  readonly fillTimeoutMs: number;
}
export const SUPERVISOR_TIMES: SupervisorTimes = {
  backoff: { firstMs: 1_000, maxMs: 30_000 },
  reconcileEveryMs: 60_000,
  pollEveryMs: 5_000,
  fillTimeoutMs: 5_000,
};

export interface SupervisorDependencies {
  readonly times: SupervisorTimes;
  /** Shared by all accounts, so that those that were lost at once come back one after another. */
  readonly semaphore: Semaphore;
  connect(): Promise<ExchangeClient>;
  reconcile(client: ExchangeClient): Promise<ReconcileSummary>;
  onOrder(order: VenueOrder, fills: readonly VenueFill[]): void;
  onBalances(balances: Balances): void;
  onState(state: StreamState, error?: unknown): void;
}

type Event = () => void;

/** Heard lately: enough to tell a fill that was told from one that is owed. */
const HEARD_MAX = 256;
/** What waits for a repair that does not end is given up with the connection, and repaired by the next. */
const WAITING_MAX = 10_000;

export class AccountSupervisor {
  private readonly stopping = new AbortController();
  private connection = new AbortController();
  private bufferedEvents: Event[] | null = null;
  private readonly receivedFills = new Set<string>();
  private readonly expectedFills = new Map<string, NodeJS.Timeout>();
  private failures = 0;
  private wakeUp: (() => void) | undefined;
  private current: StreamState = 'CONNECTING';
  private readonly running: Promise<void>;

  constructor(
    readonly account: OwnedAccount,
    private readonly parts: SupervisorDependencies,
  ) {
    this.running = this.run();
  }

  get state(): StreamState {
    return this.current;
  }

  get isLive(): boolean {
    return this.current === 'LIVE';
  }

  /** Has the account compared with its exchange now, and not only when it is time. */
  reconcileSoon(): void {
    this.wakeUp?.();
  }

  /** These fills are known from elsewhere: a stream that is alive tells of them as well. */
  expectFills(fills: readonly string[]): void {
    if (!this.isLive) return;
    for (const key of fills) {
      if (this.receivedFills.has(key) || this.expectedFills.has(key)) continue;
      const timer = setTimeout(
        () => this.connection.abort(new Error('the stream did not tell of a fill')),
        this.parts.times.fillTimeoutMs,
      );
      timer.unref();
      this.expectedFills.set(key, timer);
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('stopped'));
    this.connection.abort(this.stopping.signal.reason);
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      this.connection = new AbortController();
      const error = await this.runConnection().catch((reason: unknown) => reason);
      this.clearExpectedFills();
      if (signal.aborted) return;
      this.failures++;
      this.setState('LOST', error);
      await pause(backoffMs(this.parts.times.backoff, this.failures, Math.random()), signal);
    }
  }

  /** One connection's life; ends by throwing what ended it. */
  private async runConnection(): Promise<never> {
    this.setState('CONNECTING');
    const client = await this.parts.semaphore.run(() => this.parts.connect());
    if (!client.hasStream) return this.poll(client);
    this.bufferedEvents = [];
    const { signal } = this.connection;
    let onConnected: () => void = () => undefined;
    const connected = new Promise<void>((resolve) => {
      onConnected = resolve;
    });
    const stream = client.watch({
      onConnected,
      onLost: (error) => this.connection.abort(error),
      onOrder: (order, fills) => this.handleEvent(() => this.onOrder(order, fills)),
      onBalances: (balances) => this.handleEvent(() => this.parts.onBalances(balances)),
    });
    try {
      await raceAbort(signal, connected);
      this.setState('REPAIRING');
      await this.reconcile(client);
      this.flushBuffer();
      this.setState('LIVE');
      this.failures = 0;
      return await this.reconcilePeriodically(client);
    } finally {
      this.bufferedEvents = null;
      await stream.close();
    }
  }

  private async poll(client: ExchangeClient): Promise<never> {
    for (;;) {
      await this.reconcile(client);
      this.setState('POLLING');
      this.failures = 0;
      await this.pauseOrWake(this.parts.times.pollEveryMs);
    }
  }

  private async reconcilePeriodically(client: ExchangeClient): Promise<never> {
    const { reconcileEveryMs, backoff } = this.parts.times;
    let misses = 0;
    let nextInMs = reconcileEveryMs;
    for (;;) {
      await this.pauseOrWake(nextInMs * (0.75 + Math.random() / 2));
      try {
        this.expectFills(await this.reconcile(client));
        misses = 0;
        nextInMs = reconcileEveryMs;
      } catch (error) {
        this.connection.signal.throwIfAborted();
        if (error instanceof ExchangeError && error.outcome === 'fatal') throw error;
        // The stream is alive all the same; the comparison is made up for, less often where the exchange has enough.
        misses++;
        this.parts.onState(this.current, error);
        const isTooMuch = error instanceof ExchangeError && error.code === 'rate_limited';
        nextInMs = isTooMuch ? reconcileEveryMs * 2 ** Math.min(misses, 4) : backoffMs(backoff, misses, 1);
      }
    }
  }

  private async reconcile(client: ExchangeClient): Promise<readonly string[]> {
    const { fills } = await raceAbort(
      this.connection.signal,
      this.parts.semaphore.run(() => this.parts.reconcile(client)),
    );
    return fills;
  }

  private handleEvent(event: Event): void {
    if (this.bufferedEvents === null) {
      event();
      return;
    }
    this.bufferedEvents.push(event);
    if (this.bufferedEvents.length > WAITING_MAX)
      this.connection.abort(new Error('too much happened before the repair'));
  }

  private flushBuffer(): void {
    const events = this.bufferedEvents ?? [];
    this.bufferedEvents = null;
    for (const event of events) event();
  }

  private onOrder(order: VenueOrder, fills: readonly VenueFill[]): void {
    for (const fill of fills) {
      const key = fillKey(fill);
      this.receivedFills.add(key);
      clearTimeout(this.expectedFills.get(key));
      this.expectedFills.delete(key);
    }
    for (const key of this.receivedFills) {
      if (this.receivedFills.size <= HEARD_MAX) break;
      this.receivedFills.delete(key);
    }
    this.parts.onOrder(order, fills);
  }

  private clearExpectedFills(): void {
    for (const timer of this.expectedFills.values()) clearTimeout(timer);
    this.expectedFills.clear();
  }

  private setState(state: StreamState, error?: unknown): void {
    this.current = state;
    this.parts.onState(state, error);
  }

  private async pauseOrWake(ms: number): Promise<void> {
    const woken = new AbortController();
    this.wakeUp = () => woken.abort();
    await pause(ms, AbortSignal.any([woken.signal, this.connection.signal]));
    this.wakeUp = undefined;
    this.connection.signal.throwIfAborted();
  }
}

/** The work's outcome, or the reason of the signal where that comes first: the work is nobody's concern then. */
function raceAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

const pause = (ms: number, signal: AbortSignal) =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
