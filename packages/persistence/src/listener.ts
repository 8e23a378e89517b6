/**
 * LISTEN over one dedicated connection for all channels of this process.
 *
 * 1. A notification is only a hint: notifications sent while the connection is down are lost. Subscribers also poll.
 * 2. After each (re)connection every subscriber is called once with `undefined`, because notifications may have been
 *    missed.
 * 3. A regular round trip detects a silently dead connection, which is then replaced.
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
  /** Interval of the round trips that check the connection. Default: 10,000. */
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
   * commit, which is too late for code that responds right after it.
   */
  notifyLocally(channel: string): void;
  /** Closes the connection and resolves when the listener has stopped completely. */
  stop(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;
const RECONNECT_BACKOFF: Backoff = { firstMs: 50, maxMs: 5_000, jitter: 0.5 };

interface Subscription {
  readonly channel: string;
  readonly onNotify: OnNotify;
  /** Whether it was called since the last connection. */
  wasNotified: boolean;
}

/** Connects immediately and reconnects until `stop`. */
export function createListener(options: ListenerOptions): Listener {
  const { onError = () => undefined, probeMs = 10_000 } = options;
  const subscriptions = new Set<Subscription>();
  const stopping = new AbortController();
  let wake = new AbortController();
  let connected = false;

  /** Listens to channels that are new to `client` and calls subscribers that were not called yet. */
  async function syncSubscriptions(client: Client, channels: Set<string>): Promise<void> {
    for (const subscription of subscriptions) {
      const { channel, onNotify } = subscription;
      if (!channels.has(channel)) await client.query(`LISTEN ${escapeIdentifier(channel)}`);
      channels.add(channel);
      if (!subscription.wasNotified) onNotify(undefined);
      subscription.wasNotified = true;
    }
  }

  /** Runs one connection until the listener stops. @throws if the connection is lost */
  async function serveConnection(client: Client, onConnected: () => void): Promise<void> {
    let loss: unknown;
    const lose = (reason: unknown) => {
      loss ??= reason;
      wake.abort();
    };
    client.on('error', lose);
    client.on('end', () => lose(new Error('The LISTEN connection ended.')));
    client.on('notification', ({ channel, payload }) => {
      for (const each of subscriptions) if (each.channel === channel) each.onNotify(payload);
    });
    await client.connect();
    onConnected();
    const channels = new Set<string>();
    while (!stopping.signal.aborted) {
      // A subscription, a lost connection or a stop from here on ends the pause.
      wake = new AbortController();
      if (loss !== undefined) throw loss;
      await syncSubscriptions(client, channels);
      // Only after LISTEN has completed: earlier notifications are missed.
      connected = true;
      await pause(probeMs, wake.signal);
      if (loss === undefined && !wake.signal.aborted) await client.query('SELECT 1');
    }
  }

  async function connectOnce(onConnected: () => void): Promise<void> {
    const client = new Client({
      connectionString: options.url,
      application_name: options.applicationName,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    try {
      await serveConnection(client, onConnected);
    } finally {
      connected = false;
      for (const subscription of subscriptions) subscription.wasNotified = false;
      await client.end().catch(() => undefined);
    }
  }

  async function keepConnected(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      try {
        await connectOnce(() => {
          failures = 0;
        });
      } catch (error) {
        if (stopping.signal.aborted) return;
        onError(error);
        failures++;
        await pause(backoffMs(RECONNECT_BACKOFF, failures), stopping.signal);
      }
    }
  }

  const running = keepConnected();
  return {
    get connected() {
      return connected;
    },
    subscribe(channel, onNotify) {
      const subscription: Subscription = { channel, onNotify, wasNotified: false };
      subscriptions.add(subscription);
      wake.abort();
      return () => {
        subscriptions.delete(subscription);
      };
    },
    notifyLocally(channel) {
      for (const subscription of subscriptions)
        if (subscription.channel === channel) subscription.onNotify(undefined);
    },
    async stop() {
      stopping.abort();
      wake.abort();
      await running;
    },
  };
}

const pause = (delayMs: number, signal: AbortSignal) =>
  sleep(delayMs, undefined, { signal }).catch(() => undefined);
