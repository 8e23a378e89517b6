/**
 * Supervises the stream of one account while this worker owns the account.
 *
 * 1. Events of a connection are buffered in order until a reconciliation has found everything that was missed before
 *    the connection. Then they are applied.
 * 2. When a connection ends, another one follows after a growing backoff. The state of the supervisor shows every loss.
 * 3. A live stream is verified: the account is reconciled periodically, and the stream is replaced if it does not
 *    report a fill that is known from another source.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnedAccount } from '@trading-automation/core/exchange-accounts';
import { fillKey } from '@trading-automation/core/trades';
import {
  type ExchangeClient,
  ExchangeError,
  type VenueFill,
  type VenueOrder,
} from '@trading-automation/exchanges';
import { type Backoff, backoffMs } from '@trading-automation/runtime/backoff';
import type { LimitFunction } from 'p-limit';
import type { AccountSession } from './account-session.js';
import type { AccountStream, StreamState } from './account-streams.js';

export interface SupervisorTimes {
  readonly backoff: Backoff;
  readonly reconcileEveryMs: number;
  readonly pollEveryMs: number;
  /** The maximum delay with which a stream may report a fill that is already known. */
  readonly fillTimeoutMs: number;
}
export const SUPERVISOR_TIMES: SupervisorTimes = {
  backoff: { firstMs: 1_000, maxMs: 30_000, jitter: 0.5 },
  reconcileEveryMs: 60_000,
  pollEveryMs: 5_000,
  fillTimeoutMs: 5_000,
};

export interface SupervisorOptions {
  readonly session: AccountSession;
  readonly times: SupervisorTimes;
  /**
   * Limits how many accounts connect or reconcile at the same time. All accounts share the limit, so that streams that
   * were lost together reconnect a few at a time.
   */
  readonly limitRepairs: LimitFunction;
}

type Event = () => void;

/** The number of recently received fills whose keys are kept, so that these fills are not expected a second time. */
const RECEIVED_FILLS_MAX = 256;
/** A connection with more buffered events is closed. The next connection starts with a reconciliation. */
const BUFFERED_MAX = 10_000;

export class AccountSupervisor implements AccountStream {
  private readonly stopping = new AbortController();
  private connection = new AbortController();
  private bufferedEvents: Event[] | null = null;
  private readonly receivedFills = new Set<string>();
  private readonly expectedFills = new Map<string, NodeJS.Timeout>();
  private failures = 0;
  private wakeUp: (() => void) | undefined;
  private currentState: StreamState = 'CONNECTING';
  private readonly running: Promise<void>;

  constructor(private readonly options: SupervisorOptions) {
    this.running = this.run();
  }

  get account(): OwnedAccount {
    return this.options.session.account;
  }

  get state(): StreamState {
    return this.currentState;
  }

  get stateAgeMs(): number {
    return this.options.session.stateAgeMs;
  }

  reconcileSoon(): void {
    this.wakeUp?.();
  }

  expectFills(fills: readonly string[]): void {
    if (this.currentState !== 'LIVE') return;
    for (const key of fills) {
      if (this.receivedFills.has(key) || this.expectedFills.has(key)) continue;
      const timer = setTimeout(
        () => this.connection.abort(new Error('The account stream did not report a known fill in time.')),
        this.options.times.fillTimeoutMs,
      );
      timer.unref();
      this.expectedFills.set(key, timer);
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('The supervisor was stopped.'));
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
      await wait(backoffMs(this.options.times.backoff, this.failures), signal);
    }
  }

  /** Runs one connection until it ends; throws the reason. */
  private async runConnection(): Promise<never> {
    this.setState('CONNECTING');
    const client = await this.options.limitRepairs(() => this.options.session.connect());
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
      onBalances: (balances, at) => this.handleEvent(() => this.options.session.onBalances(balances, at)),
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
      await this.waitOrWake(this.options.times.pollEveryMs);
    }
  }

  private async reconcilePeriodically(client: ExchangeClient): Promise<never> {
    const { reconcileEveryMs, backoff } = this.options.times;
    let failedRuns = 0;
    let nextInMs = reconcileEveryMs;
    for (;;) {
      await this.waitOrWake(nextInMs * (0.75 + Math.random() / 2));
      try {
        this.expectFills(await this.reconcile(client));
        failedRuns = 0;
        nextInMs = reconcileEveryMs;
      } catch (error) {
        this.connection.signal.throwIfAborted();
        if (error instanceof ExchangeError && error.outcome === 'fatal') throw error;
        // The stream is still live, so only the reconciliation is repeated, less often if the exchange limits the rate.
        failedRuns++;
        this.options.session.onState(this.currentState, error);
        const isRateLimited = error instanceof ExchangeError && error.code === 'rate_limited';
        nextInMs = isRateLimited
          ? backoffMs({ firstMs: 2 * reconcileEveryMs, maxMs: 16 * reconcileEveryMs }, failedRuns)
          : backoffMs(backoff, failedRuns, 1);
      }
    }
  }

  private async reconcile(client: ExchangeClient): Promise<readonly string[]> {
    const { fills } = await raceAbort(
      this.connection.signal,
      this.options.limitRepairs(() => this.options.session.reconcile(client)),
    );
    return fills;
  }

  private handleEvent(event: Event): void {
    if (this.bufferedEvents === null) {
      event();
      return;
    }
    this.bufferedEvents.push(event);
    if (this.bufferedEvents.length > BUFFERED_MAX)
      this.connection.abort(
        new Error(`More than ${BUFFERED_MAX} events arrived before the reconciliation ended.`),
      );
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
      if (this.receivedFills.size <= RECEIVED_FILLS_MAX) break;
      this.receivedFills.delete(key);
    }
    this.options.session.onOrder(order, fills);
  }

  private clearExpectedFills(): void {
    for (const timer of this.expectedFills.values()) clearTimeout(timer);
    this.expectedFills.clear();
  }

  private setState(state: StreamState, error?: unknown): void {
    this.currentState = state;
    this.options.session.onState(state, error);
  }

  private async waitOrWake(ms: number): Promise<void> {
    const woken = new AbortController();
    this.wakeUp = () => woken.abort();
    await wait(ms, AbortSignal.any([woken.signal, this.connection.signal]));
    this.wakeUp = undefined;
    this.connection.signal.throwIfAborted();
  }
}

/** Returns the result of the work. If the signal is aborted first, throws its reason and ignores the result. */
function raceAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

const wait = (ms: number, signal: AbortSignal) =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
