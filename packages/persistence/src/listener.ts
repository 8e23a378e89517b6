/**
 * Receives Postgres notifications on all channels of this process over one dedicated LISTEN connection.
 *
 * 1. A notification is only a hint: notifications sent while the connection is down are lost. Subscribers also poll.
 * 2. After each (re)connection, every subscriber is called once with `undefined`, because it may have missed
 *    notifications.
 * 3. A query at a fixed interval detects a connection that failed silently. The listener then reconnects.
 * 4. A subscriber must not throw or block; it only wakes up other code.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Backoff, backoffMs } from '@trading-automation/runtime/backoff';
import { Client, escapeIdentifier } from 'pg';

export interface ListenerOptions {
  /** Must be a direct connection: LISTEN does not work through a transaction-pooling proxy. */
  readonly url: string;
  readonly applicationName: string;
  /** Called for every lost or failed connection. The listener reconnects automatically. */
  readonly onError?: (error: unknown) => void;
  /**
   * The name of an advisory lock that each connection holds. Postgres releases it as soon as the process has ended, so
   * that other processes notice the end (`isSessionLocked`).
   */
  readonly sessionLock?: string;
  /** Interval of the queries that check the connection, in milliseconds. Default: 3,000. */
  readonly probeMs?: number;
}

/** Called with a notification's payload, or with undefined after a (re)connection. */
export type OnNotify = (payload: string | undefined) => void;

export interface Listener {
  /** Whether the listener currently receives notifications. */
  readonly connected: boolean;
  /** Subscribes to a channel. Returns a function that unsubscribes. */
  subscribe(channel: string, onNotify: OnNotify): () => void;
  /**
   * Calls this process's subscribers of `channel` immediately. The notification of Postgres arrives some time after the
   * commit, which is too late for code that responds right after the commit.
   */
  notifyLocally(channel: string): void;
  /** Closes the connection and resolves when the listener has stopped completely. */
  stop(): Promise<void>;
}

/** A connection that stopped responding is detected after at most PROBE_MS + RESPONSE_LIMIT_MS. */
const RESPONSE_LIMIT_MS = 3_000;
const PROBE_MS = 3_000;
const RECONNECT_BACKOFF: Backoff = { firstMs: 50, maxMs: 5_000, jitter: 0.5 };

interface Subscription {
  readonly channel: string;
  readonly onNotify: OnNotify;
  /** Whether `onNotify` was called since the last (re)connection. */
  wasNotified: boolean;
}

/** An SQL expression: whether a connection of a listener holds the session lock with this name. */
export const isSessionLocked = (name: string) => `EXISTS (
  SELECT FROM pg_locks
  WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (classid::bigint << 32) | objid::bigint = hashtextextended(${name}, 0))`;

/** Creates a listener, which connects immediately and reconnects until `stop`. */
export function createListener(options: ListenerOptions): Listener {
  return new PostgresListener(options);
}

class PostgresListener implements Listener {
  connected = false;
  private readonly subscriptions = new Set<Subscription>();
  private readonly stopping = new AbortController();
  /** Ends the pause between two checks of the connection. */
  private wake = new AbortController();
  private readonly running: Promise<void>;

  constructor(private readonly options: ListenerOptions) {
    this.running = this.keepConnected();
  }

  subscribe(channel: string, onNotify: OnNotify): () => void {
    const subscription: Subscription = { channel, onNotify, wasNotified: false };
    this.subscriptions.add(subscription);
    this.wake.abort();
    return () => {
      this.subscriptions.delete(subscription);
    };
  }

  notifyLocally(channel: string): void {
    for (const subscription of this.subscriptions)
      if (subscription.channel === channel) subscription.onNotify(undefined);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake.abort();
    await this.running;
  }

  private async keepConnected(): Promise<void> {
    const { signal } = this.stopping;
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.connectOnce(() => {
          failures = 0;
        });
      } catch (error) {
        if (signal.aborted) return;
        this.options.onError?.(error);
        failures++;
        await pause(backoffMs(RECONNECT_BACKOFF, failures), signal);
      }
    }
  }

  private async connectOnce(onConnected: () => void): Promise<void> {
    const client = new Client({
      connectionString: this.options.url,
      application_name: this.options.applicationName,
      connectionTimeoutMillis: RESPONSE_LIMIT_MS,
      query_timeout: RESPONSE_LIMIT_MS,
      keepAlive: true,
    });
    try {
      await this.serveConnection(client, onConnected);
    } finally {
      this.connected = false;
      for (const subscription of this.subscriptions) subscription.wasNotified = false;
      await client.end().catch(() => undefined);
    }
  }

  /** Runs one connection until the listener stops. @throws if the connection is lost */
  private async serveConnection(client: Client, onConnected: () => void): Promise<void> {
    const { probeMs = PROBE_MS } = this.options;
    let loss: unknown;
    const lose = (reason: unknown) => {
      loss ??= reason;
      this.wake.abort();
    };
    client.on('error', lose);
    client.on('end', () => lose(new Error('The LISTEN connection ended.')));
    client.on('notification', ({ channel, payload }) => {
      for (const each of this.subscriptions) if (each.channel === channel) each.onNotify(payload);
    });
    await client.connect();
    await this.lockSession(client);
    onConnected();
    const channels = new Set<string>();
    while (!this.stopping.signal.aborted) {
      // Replace `wake` before the checks below, so that a later subscription, loss or stop ends the pause.
      const wake = new AbortController();
      this.wake = wake;
      if (loss !== undefined) throw loss;
      await this.syncSubscriptions(client, channels);
      // Set only after LISTEN has completed: before that, the connection receives no notifications.
      this.connected = true;
      await pause(probeMs, wake.signal);
      if (loss === undefined && !wake.signal.aborted) await client.query('SELECT 1');
    }
  }

  /** The lock is shared, so that a new connection does not wait for the end of a lost one. */
  private async lockSession(client: Client): Promise<void> {
    const { sessionLock } = this.options;
    if (sessionLock === undefined) return;
    await client.query('SELECT pg_advisory_lock_shared(hashtextextended($1, 0))', [sessionLock]);
  }

  /** Listens to channels that are new to `client` and calls subscribers that were not called yet. */
  private async syncSubscriptions(client: Client, channels: Set<string>): Promise<void> {
    for (const subscription of this.subscriptions) {
      const { channel, onNotify } = subscription;
      if (!channels.has(channel)) await client.query(`LISTEN ${escapeIdentifier(channel)}`);
      channels.add(channel);
      if (!subscription.wasNotified) onNotify(undefined);
      subscription.wasNotified = true;
    }
  }
}

const pause = (delayMs: number, signal: AbortSignal) =>
  sleep(delayMs, undefined, { signal }).catch(() => undefined);
