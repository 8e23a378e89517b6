/**
 * LISTEN over one connection of its own, for every channel of this process.
 *
 * 1. A notification is a hint to look, never the news itself: those sent while the connection was down are
 *    gone. Whoever subscribes also polls.
 * 2. After each (re)connection every subscriber is called once with `undefined`: look now, something may have
 *    been missed.
 * 3. A connection that died without a word is found out by a regular round trip, and replaced.
 * 4. A subscriber must not throw and must not block; it wakes something up.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, escapeIdentifier } from 'pg';

export interface ListenerOptions {
  /** A direct connection: LISTEN does not work through a transaction-pooling proxy. */
  readonly url: string;
  readonly applicationName: string;
  /** Told of every lost or failed connection; the listener goes on by itself. */
  readonly onError?: (error: unknown) => void;
  /** How often the connection is tried by a round trip; 10,000 unless given. */
  readonly probeMs?: number;
}

/** Called with a notification's payload, or with undefined after a (re)connection. */
export type OnNotify = (payload: string | undefined) => void;

export interface Listener {
  /** Whether notifications arrive at this moment. */
  readonly connected: boolean;
  /** Begins to call `onNotify` for `channel`; the answer ends that. */
  subscribe(channel: string, onNotify: OnNotify): () => void;
  /**
   * Has this process's own subscribers of `channel` look now. Who answers a caller after a commit can't wait for the
   * notification, which comes some time after it.
   */
  notifyLocally(channel: string): void;
  /** Closes the connection, and resolves when nothing of the listener runs any more. */
  stop(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;
const BACKOFF_FIRST_MS = 50;
const BACKOFF_MAX_MS = 5_000;

interface Subscription {
  readonly channel: string;
  readonly onNotify: OnNotify;
  /** Whether it was told to look since the connection stands. */
  wasNotified: boolean;
}

/** Starts to connect at once and keeps at it until `stop`. */
export function createListener(options: ListenerOptions): Listener {
  const { onError = () => undefined, probeMs = 10_000 } = options;
  const subscriptions = new Set<Subscription>();
  const stopping = new AbortController();
  let wake = new AbortController();
  let connected = false;

  /** Listens to channels that are new to `client`, and tells whoever was not yet told to look. */
  async function syncSubscriptions(client: Client, channels: Set<string>): Promise<void> {
    for (const subscription of subscriptions) {
      const { channel, onNotify } = subscription;
      if (!channels.has(channel)) await client.query(`LISTEN ${escapeIdentifier(channel)}`);
      channels.add(channel);
      if (!subscription.wasNotified) onNotify(undefined);
      subscription.wasNotified = true;
    }
  }

  /** One connection's life: one statement at a time, until it is lost (an error) or no longer wanted. */
  async function serveConnection(client: Client, onConnected: () => void): Promise<void> {
    let loss: unknown;
    const lose = (reason: unknown) => {
      loss ??= reason;
      wake.abort();
    };
    client.on('error', lose);
    client.on('end', () => lose(new Error('the listening connection ended')));
    client.on('notification', ({ channel, payload }) => {
      for (const each of subscriptions) if (each.channel === channel) each.onNotify(payload);
    });
    await client.connect();
    onConnected();
    const channels = new Set<string>();
    while (!stopping.signal.aborted) {
      // What happens from here on cuts the pause short: a subscription, the loss, the end.
      wake = new AbortController();
      if (loss !== undefined) throw loss;
      await syncSubscriptions(client, channels);
      // Not before LISTEN has been answered: until then a notification would be missed.
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
    let delayMs = BACKOFF_FIRST_MS;
    while (!stopping.signal.aborted) {
      try {
        await connectOnce(() => {
          delayMs = BACKOFF_FIRST_MS;
        });
      } catch (error) {
        if (stopping.signal.aborted) return;
        onError(error);
        await pause(delayMs * (0.5 + Math.random() / 2), stopping.signal);
        delayMs = Math.min(BACKOFF_MAX_MS, delayMs * 2);
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
