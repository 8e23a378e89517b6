/**
 * Supervises the stream of one account while this worker owns the account.
 *
 * 1. Of an account with open orders, the events of a connection are buffered in order until a reconciliation has found
 *    everything that was missed before the connection. Then they are applied. Events of other accounts, and of orders that
 *    were sent since the connection, are applied immediately. The reconciliation waits for its turn in `RepairQueue`.
 * 2. When a connection ends, another one follows after a growing backoff. The state of the supervisor shows every loss.
 * 3. A live stream is verified: the account is reconciled soon after a doubt, and otherwise in a rotation. The stream is
 *    replaced if it does not report a fill or an order that is known from another source.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnedAccount } from '@trading-automation/core/exchange-accounts';
import { type AccountExposure, fillKey } from '@trading-automation/core/trades';
import {
  type AccountStreamHandler,
  type ExchangeClient,
  ExchangeError,
  type VenueFill,
  type VenueOrder,
  type VenueStream,
} from '@trading-automation/exchanges';
import { type Backoff, backoffMs } from '@trading-automation/runtime/backoff';
import type { LimitFunction } from 'p-limit';
import type { ReconcileSummary } from './account-reconciler.js';
import type { AccountSession } from './account-session.js';
import { type AccountStream, orderStateKey, type StreamState } from './account-streams.js';
import type { RepairQueue, RepairReason } from './repair-queue.js';

export interface SupervisorTimes {
  readonly backoff: Backoff;
  /** The backoff of an account that running copiers follow. */
  readonly followedBackoff: Backoff;
  /** The longest time between two reconciliations of an account with a live stream. */
  readonly reconcileEveryMs: number;
  /** The delay of a reconciliation after a doubt. Doubts that follow each other share one. */
  readonly doubtDelayMs: number;
  /** The delay after a reconciliation in which balances and fills did not agree. It grows while they do not. */
  readonly recheckMs: number;
  readonly pollEveryMs: number;
  /** The maximum delay with which a stream may report a fill that is already known. */
  readonly fillTimeoutMs: number;
}
export const SUPERVISOR_TIMES: SupervisorTimes = {
  backoff: { firstMs: 1_000, maxMs: 30_000, jitter: 0.5 },
  followedBackoff: { firstMs: 1_000, maxMs: 4_000, jitter: 0.5 },
  reconcileEveryMs: 14_400_000,
  doubtDelayMs: 1_000,
  // More than the time for which an asset must be missing before it is written off.
  recheckMs: 25_000,
  pollEveryMs: 5_000,
  fillTimeoutMs: 5_000,
};

export interface SupervisorOptions {
  readonly session: AccountSession;
  readonly times: SupervisorTimes;
  /**
   * Limits how many accounts connect at the same time. All accounts share the limit, so that streams that were lost
   * together reconnect a few at a time.
   */
  readonly limitConnects: LimitFunction;
  /** Orders the reconciliations of all accounts. */
  readonly repairs: RepairQueue;
  readonly takeover: AwaitedTakeover;
}

/** What the supervision of an account that was taken over waits for, and what waits for it. */
export interface AwaitedTakeover {
  /** Resolves when the orders of the account's former owner were looked up once. */
  untilLookedUp(accountId: string): Promise<void>;
  onStreamWorks(accountId: string): void;
}

type Event = () => void;

/** The number of recently received reports whose keys are kept, so that these reports are not expected again. */
const RECEIVED_MAX = 256;
/** A connection with more buffered events is closed. The next connection starts with a reconciliation. */
const BUFFERED_MAX = 10_000;

export class AccountSupervisor implements AccountStream {
  private readonly stopping = new AbortController();
  private connection = new AbortController();
  private bufferedEvents: Event[] | null = null;
  private readonly received = new Set<string>();
  private readonly expected = new Map<string, NodeJS.Timeout>();
  private doubtTimer: NodeJS.Timeout | undefined;
  /** Whether a reconciliation is due because of a doubt. */
  private isDoubted = false;
  private failures = 0;
  /** As of the last read; IDLE before the first. */
  private exposure: AccountExposure = { kind: 'IDLE', isFollowed: false };
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
    if (this.isDoubted) return;
    this.isDoubted = true;
    this.doubtTimer = setTimeout(() => this.wakeUp?.(), this.options.times.doubtDelayMs);
    this.doubtTimer.unref();
  }

  expectReports(keys: readonly string[], order?: VenueOrder): void {
    const isNew = order !== undefined && this.options.session.wasSentSinceConnected(order);
    if (this.currentState !== 'LIVE' && !(this.currentState === 'UNVERIFIED' && isNew)) return;
    for (const key of keys) {
      if (this.received.has(key) || this.expected.has(key)) continue;
      const what = key.startsWith('order ') ? 'order' : 'fill';
      const timer = setTimeout(
        () => this.connection.abort(new Error(`The account stream did not report a known ${what} in time.`)),
        this.options.times.fillTimeoutMs,
      );
      timer.unref();
      this.expected.set(key, timer);
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
      this.clearExpected();
      if (signal.aborted) return;
      this.failures++;
      this.setState('LOST', error);
      await wait(backoffMs(this.backoff, this.failures), signal);
    }
  }

  /** Runs one connection until it ends; throws the reason. */
  private async runConnection(): Promise<never> {
    const { session, limitConnects } = this.options;
    this.setState('CONNECTING');
    const client = await session.connect();
    if (!client.hasStream) return this.poll(client);
    this.bufferedEvents = [];
    let stream: VenueStream | undefined;
    try {
      await limitConnects(async () => {
        const { connected, handler } = this.openConnection();
        stream = client.watch(handler);
        await raceAbort(this.connection.signal, connected);
        session.onConnected();
        this.setState('REPAIRING');
      });
      await raceAbort(this.connection.signal, this.options.takeover.untilLookedUp(this.account.accountId));
      await this.readExposure();
      const hasOpenOrders = this.exposure.kind === 'OPEN_ORDERS';
      if (!hasOpenOrders) this.flushBuffer();
      if (!hasOpenOrders) this.setState('UNVERIFIED');
      const isDoubtful = hasOpenOrders && (await this.repairBuffered(client));
      return await this.keepReconciled(client, isDoubtful);
    } finally {
      this.bufferedEvents = null;
      await stream?.close();
    }
  }

  private async readExposure(): Promise<void> {
    this.exposure = await this.options.session.exposure();
  }

  private get backoff(): Backoff {
    const { backoff, followedBackoff } = this.options.times;
    return this.exposure.isFollowed ? followedBackoff : backoff;
  }

  private openConnection() {
    this.connection.signal.throwIfAborted();
    let onConnected: () => void = () => undefined;
    const connected = new Promise<void>((resolve) => {
      onConnected = resolve;
    });
    const handler: AccountStreamHandler = {
      onConnected,
      onLost: (error) => this.connection.abort(error),
      onOrder: (order, fills) => {
        if (this.options.session.wasSentSinceConnected(order)) this.onOrder(order, fills);
        else this.handleEvent(() => this.onOrder(order, fills));
      },
      onBalances: (balances, at) => this.handleEvent(() => this.options.session.onBalances(balances, at)),
      onPositions: (positions, at) => this.handleEvent(() => this.options.session.onPositions(positions, at)),
      onFunding: () => this.options.session.onFunding(),
    };
    return { connected, handler };
  }

  /**
   * Reconciles an account with open orders, then applies the events that arrived meanwhile. The stream works, so only a
   * failed reconciliation is repeated. Returns whether the account has to be compared again soon.
   */
  private async repairBuffered(client: ExchangeClient): Promise<boolean> {
    for (let failedRuns = 1; ; failedRuns++) {
      try {
        const { isDoubtful } = await this.reconcile(client, 'connected');
        this.flushBuffer();
        this.setState('LIVE');
        this.failures = 0;
        return isDoubtful;
      } catch (error) {
        this.throwIfConnectionEnds(error);
        this.options.session.onState(this.currentState, error);
        await wait(backoffMs(this.backoff, failedRuns), this.connection.signal);
        this.connection.signal.throwIfAborted();
      }
    }
  }

  /** Throws if the connection has ended, or if the error must end it. */
  private throwIfConnectionEnds(error: unknown): void {
    this.connection.signal.throwIfAborted();
    if (error instanceof ExchangeError && error.outcome === 'fatal') throw error;
  }

  private async poll(client: ExchangeClient): Promise<never> {
    for (let reason: RepairReason = 'connected'; ; reason = 'doubt') {
      await this.readExposure();
      await this.reconcile(client, reason);
      this.setState('POLLING');
      this.failures = 0;
      await this.waitOrWake(this.options.times.pollEveryMs);
    }
  }

  /** Reconciles an account with a working stream: at once if it is unverified, after doubts, and in the rotation. */
  private async keepReconciled(client: ExchangeClient, isDoubtful: boolean): Promise<never> {
    const { reconcileEveryMs, recheckMs } = this.options.times;
    // Spread over a quarter of the interval, so that accounts that connected together do not stay together.
    const rotationMs = () => reconcileEveryMs * (0.75 + Math.random() / 4);
    let failedRuns = 0;
    let doubtfulRuns = isDoubtful ? 1 : 0;
    let nextInMs = this.currentState === 'LIVE' ? (isDoubtful ? recheckMs : rotationMs()) : 0;
    for (;;) {
      const isDue = nextInMs === 0 || !(await this.waitOrWake(nextInMs));
      if (this.currentState === 'LIVE') await this.readExposure();
      const canWait = this.currentState === 'LIVE' ? doubtfulRuns === 0 : this.exposure.kind === 'IDLE';
      try {
        const isFirst = this.currentState !== 'LIVE';
        const reason = isDue && canWait ? 'rotation' : isFirst ? 'connected' : 'doubt';
        const summary = await this.reconcile(client, reason);
        if (isFirst) this.setState('LIVE');
        this.expectReports(summary.fills);
        this.failures = 0;
        failedRuns = 0;
        doubtfulRuns = summary.isDoubtful ? doubtfulRuns + 1 : 0;
        nextInMs = summary.isDoubtful
          ? backoffMs({ firstMs: recheckMs, maxMs: reconcileEveryMs }, doubtfulRuns, 1)
          : rotationMs();
      } catch (error) {
        this.throwIfConnectionEnds(error);
        // The stream still works, so only the reconciliation is repeated.
        failedRuns++;
        const isRateLimited = error instanceof ExchangeError && error.code === 'rate_limited';
        // A reconciliation that can wait has found no budget within its time. That is no failure.
        const hasWaited = isRateLimited && isDue && canWait;
        if (!hasWaited) this.options.session.onState(this.currentState, error);
        const isSlow = isRateLimited && !hasWaited && !this.exposure.isFollowed;
        const rest = isSlow ? { firstMs: recheckMs, maxMs: 16 * recheckMs } : this.backoff;
        nextInMs = backoffMs(rest, failedRuns, 1);
      }
    }
  }

  private async reconcile(client: ExchangeClient, reason: RepairReason): Promise<ReconcileSummary> {
    const { repairs, session } = this.options;
    const { signal } = this.connection;
    return raceAbort(
      signal,
      repairs.run(this.exposure, reason, (purpose) => {
        signal.throwIfAborted();
        clearTimeout(this.doubtTimer);
        this.isDoubted = false;
        return session.reconcile(client, purpose);
      }),
    );
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
    for (const key of [orderStateKey(order), ...fills.map(fillKey)]) {
      this.received.add(key);
      clearTimeout(this.expected.get(key));
      this.expected.delete(key);
    }
    for (const key of this.received) {
      if (this.received.size <= RECEIVED_MAX) break;
      this.received.delete(key);
    }
    if (!this.options.session.onOrder(order, fills)) this.reconcileSoon();
  }

  private clearExpected(): void {
    for (const timer of this.expected.values()) clearTimeout(timer);
    this.expected.clear();
  }

  private setState(state: StreamState, error?: unknown): void {
    this.currentState = state;
    this.options.session.onState(state, error);
    if (state !== 'CONNECTING' && state !== 'LOST')
      this.options.takeover.onStreamWorks(this.account.accountId);
  }

  /** Waits until the time is over or a doubt is due. Returns whether it was a doubt. */
  private async waitOrWake(ms: number): Promise<boolean> {
    const woken = new AbortController();
    this.wakeUp = () => woken.abort();
    // A doubt that came up while the account was being reconciled.
    const waitMs = this.isDoubted ? Math.min(ms, this.options.times.doubtDelayMs) : ms;
    await wait(waitMs, AbortSignal.any([woken.signal, this.connection.signal]));
    this.wakeUp = undefined;
    this.connection.signal.throwIfAborted();
    return this.isDoubted;
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
