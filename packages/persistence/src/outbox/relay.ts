/**
 * The relay delivers every committed event once to one consumer, each user's events in their order.
 *
 * 1. An event is delivered after its commit. The sequencer assigns its position under an advisory lock, which it holds
 *    until after its own commit, so that one transaction at a time assigns positions. Positions become visible in
 *    ascending order and without gaps, so a consumer that handled position p has missed no lower position. Ids and
 *    insert times cannot guarantee that, because transactions commit out of order.
 * 2. A position is assigned once. It never changes and is never reused, even after old events are deleted.
 * 3. If one change waited for another (for a row lock), their events keep that order: the later event is inserted after
 *    the earlier one is committed, and the sequencer orders events by the clock at the insert.
 * 4. One transaction runs `handle` and stores the progress, so that the writes of `handle` through `tx` take effect
 *    once per event and consumer. Other effects of `handle` may be repeated after a crash.
 * 5. A relay locks the progress row, so that one relay per consumer works at a time; a second relay is on standby.
 * 6. A failing `handle` blocks its consumer, is reported, and is retried: events are never skipped. A consumer that can
 *    skip an event must record that itself.
 * 7. Users share a relay. Once more events wait than fit into a batch, the users take turns in it (fair-batch.ts), so
 *    that another user's backlog delays an event by at most two batches.
 * 8. Notifications only reduce the delay: polling alone delivers everything.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '@trading-automation/runtime/backoff';
import type { DataSource } from 'typeorm';
import type { Listener } from '../listener.js';
import { queryPrepared } from '../prepared.js';
import { inTransaction, type Tx } from '../transaction.js';
import { OUTBOX_CHANNEL } from './append.js';
import {
  type Progress,
  RELAY_WINDOW_SIZE,
  type RelayedEvent,
  readBatch,
  storeProgress,
} from './fair-batch.js';
import { SEQUENCE_BATCH_MAX, sequenceBatch } from './sequencer.js';

export interface RelayOptions {
  readonly dataSource: DataSource;
  readonly listener: Pick<Listener, 'subscribe'>;
  /** The name under which progress is stored. A new consumer starts with the oldest stored event. */
  readonly consumer: string;
  /**
   * Handles events in order of position; while events of several users wait, only each user's events are in order from
   * batch to batch. Its writes through `tx` are committed together with the progress.
   */
  readonly handle: (tx: Tx, events: readonly RelayedEvent[]) => Promise<void>;
  /** Maximum number of events per transaction. Default: 200. */
  readonly batchSize?: number;
  /** Polling interval, which is also the maximum delay after a lost notification. Default: 1,000. */
  readonly pollMs?: number;
  /** Minimum pause in milliseconds between two runs, for consumers that need no immediate delivery. Default: 0. */
  readonly minIntervalMs?: number;
  /** Called for every failed run. The relay retries with a growing backoff. */
  readonly onError: (error: unknown) => void;
}

export interface Relay {
  /** Handles all pending events and returns their number; 0 while another relay of this consumer handles events. */
  drain(): Promise<number>;
  /** Handles events continuously until `stop`. */
  start(): void;
  /** Completes the running batch and resolves when the relay has stopped. */
  stop(): Promise<void>;
}

const BACKOFF_MAX_MS = 5_000;
export const RELAY_BATCH_SIZE = 200;

export function createRelay(options: RelayOptions): Relay {
  const { dataSource, listener, consumer, handle, onError } = options;
  const { batchSize = RELAY_BATCH_SIZE, pollMs = 1_000, minIntervalMs = 0 } = options;
  const stopping = new AbortController();
  let wake = new AbortController();
  let running: Promise<void> | undefined;
  let unsubscribe = () => {};

  async function drain(): Promise<number> {
    let handled = 0;
    for (;;) {
      const isSequenced = await sequenceWindow(dataSource);
      const { count, hasMore } = await inTransaction(dataSource, (tx) =>
        handleBatch(tx, consumer, batchSize, handle),
      );
      handled += count;
      if ((!hasMore && isSequenced) || stopping.signal.aborted) return handled;
    }
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      // Reset before draining, so that a notification during the drain causes another run.
      wake = new AbortController();
      try {
        await drain();
        failures = 0;
      } catch (error) {
        failures++;
        onError(error);
      }
      if (minIntervalMs > 0)
        await sleep(minIntervalMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      const delayMs =
        failures === 0 ? pollMs : backoffMs({ firstMs: pollMs, maxMs: BACKOFF_MAX_MS }, failures);
      // After a failure, notifications do not shorten the backoff.
      const { signal } = failures === 0 ? wake : stopping;
      await sleep(delayMs, undefined, { signal }).catch(() => undefined);
    }
  }

  return {
    drain,
    start() {
      if (running !== undefined) throw new Error(`The relay of ${consumer} is already running.`);
      unsubscribe = listener.subscribe(OUTBOX_CHANNEL, () => wake.abort());
      running = run();
    },
    async stop() {
      unsubscribe();
      stopping.abort();
      wake.abort();
      await running;
    },
  };
}

/** Assigns positions to as many events as a batch is chosen from. Returns whether no event is left without a position. */
async function sequenceWindow(dataSource: DataSource): Promise<boolean> {
  for (let sequenced = 0; sequenced < RELAY_WINDOW_SIZE; sequenced += SEQUENCE_BATCH_MAX)
    if ((await sequenceBatch(dataSource)) < SEQUENCE_BATCH_MAX) return true;
  return false;
}

async function handleBatch(
  tx: Tx,
  consumer: string,
  batchSize: number,
  handle: RelayOptions['handle'],
): Promise<{ readonly count: number; readonly hasMore: boolean }> {
  const progress = await lockProgress(tx, consumer);
  if (progress === undefined) return { count: 0, hasMore: false };
  const batch = await readBatch(tx, { consumer, progress, batchSize });
  if (batch.events.length > 0) await handle(tx, batch.events);
  if (batch.position !== progress.position) await storeProgress(tx, { consumer, progress }, batch);
  return { count: batch.events.length, hasMore: batch.hasMore };
}

/** Locks and returns the consumer's progress; undefined if another relay holds the lock. */
async function lockProgress(tx: Tx, consumer: string): Promise<Progress | undefined> {
  const lock = () =>
    queryPrepared<{ position: string; is_ahead: boolean }>(
      tx,
      `SELECT position, EXISTS (SELECT FROM outbox_user_progress WHERE consumer = $1) AS is_ahead
       FROM outbox_progress WHERE consumer = $1 FOR UPDATE SKIP LOCKED`,
      [consumer],
    );
  let [row] = await lock();
  if (row === undefined) {
    await tx.query('INSERT INTO outbox_progress VALUES ($1, 0) ON CONFLICT DO NOTHING', [consumer]);
    [row] = await lock();
  }
  return row && { position: row.position, isAhead: row.is_ahead };
}
