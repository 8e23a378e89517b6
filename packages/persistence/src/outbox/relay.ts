/**
 * The relay hands committed events to one consumer, in one order, each once.
 *
 * 1. An event takes part from its commit on. Its position is given by the sequencer, which runs in one
 *    transaction at a time (an advisory lock held until after its commit): positions become visible in
 *    ascending order and without gaps, so "everything up to p is handled" can never pass over an event that
 *    commits later. Ids and insert times could not promise that: transactions commit out of order.
 * 2. A position is given once, never changed and never given again, also after old events are removed.
 * 3. Events of changes that waited for each other (a row lock) keep their order: the later one is inserted
 *    after the earlier one's commit, and the sequencer goes by the clock at the insert.
 * 4. Handling and progress are one transaction. A crash at any point undoes both or keeps both: what `handle`
 *    writes through `tx` happens once per event and consumer. What it does elsewhere may happen again.
 * 5. Relays of the same consumer exclude each other by its progress row; a second one is a spare.
 * 6. A failing `handle` stops its consumer, loudly, and is tried again: events are never passed over. A
 *    consumer that can live without an event records that itself.
 * 7. Notifications only shorten the wait: polling alone delivers everything.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { Listener } from '../listener.js';
import { queryPrepared } from '../prepared.js';
import { inTransaction, type Tx } from '../transaction.js';
import { OUTBOX_CHANNEL, type OutboxEvent } from './append.js';
import { SEQUENCE_BATCH_MAX, sequenceBatch } from './sequencer.js';

export interface RelayedEvent extends OutboxEvent {
  /** The place in the one order of all events, 1 and up; a bigint as text. */
  readonly position: string;
  readonly createdAt: Date;
}

export interface RelayOptions {
  readonly dataSource: DataSource;
  readonly listener: Pick<Listener, 'subscribe'>;
  /** The name under which progress is kept. A new name begins with the oldest event still stored. */
  readonly consumer: string;
  /** Takes events in order of position; what it writes through `tx` stands exactly when the progress does. */
  readonly handle: (tx: Tx, events: readonly RelayedEvent[]) => Promise<void>;
  /** The most events of one transaction; 200 unless given. */
  readonly batchSize?: number;
  /** How long an event can wait where its notification is lost; 1,000 unless given. */
  readonly pollMs?: number;
  /** How long it rests after each turn, whatever is notified: for who needs no event at once. 0 unless given. */
  readonly minIntervalMs?: number;
  /** Told of every failed turn; the relay goes on by itself, slower with every failure in a row. */
  readonly onError: (error: unknown) => void;
}

export interface Relay {
  /** Handles what is there now, and returns how many events that were. 0 where another relay is at it. */
  drain(): Promise<number>;
  /** Handles events as they come, until `stop`. */
  start(): void;
  /** Lets the running batch end; resolves when nothing of the relay runs any more. */
  stop(): Promise<void>;
}

const BACKOFF_MAX_MS = 5_000;

export function createRelay(options: RelayOptions): Relay {
  const { dataSource, listener, consumer, handle, onError } = options;
  const { batchSize = 200, pollMs = 1_000, minIntervalMs = 0 } = options;
  const stopping = new AbortController();
  let wake = new AbortController();
  let running: Promise<void> | undefined;
  let unsubscribe = () => {};

  async function drain(): Promise<number> {
    let handled = 0;
    for (;;) {
      const placed = await sequenceBatch(dataSource);
      const count = await inTransaction(dataSource, (tx) => handleBatch(tx, consumer, batchSize, handle));
      handled += count;
      if ((count < batchSize && placed < SEQUENCE_BATCH_MAX) || stopping.signal.aborted) return handled;
    }
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      // A notification that comes while the outbox is drained must lead to another turn: hence before it.
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
      const delayMs = failures === 0 ? pollMs : Math.min(BACKOFF_MAX_MS, pollMs * 2 ** (failures - 1));
      // After a failure the wait is kept, whatever is notified meanwhile.
      const { signal } = failures === 0 ? wake : stopping;
      await sleep(delayMs, undefined, { signal }).catch(() => undefined);
    }
  }

  return {
    drain,
    start() {
      if (running !== undefined) throw new Error(`the relay of ${consumer} runs already`);
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

interface EventRow {
  readonly id: string;
  readonly user_id: string;
  readonly type: string;
  readonly payload: Buffer;
  readonly position: string;
  readonly created_at: Date;
}

async function handleBatch(
  tx: Tx,
  consumer: string,
  batchSize: number,
  handle: RelayOptions['handle'],
): Promise<number> {
  const progress = await lockProgress(tx, consumer);
  if (progress === undefined) return 0;
  const rows = await queryPrepared<EventRow>(
    tx,
    `SELECT id, user_id, type, payload, position, created_at FROM outbox_events
     WHERE position > $1 ORDER BY position LIMIT $2`,
    [progress, batchSize],
  );
  const last = rows.at(-1);
  if (last === undefined) return 0;
  await handle(tx, rows.map(toEvent));
  await queryPrepared(tx, 'UPDATE outbox_progress SET position = $2 WHERE consumer = $1', [
    consumer,
    last.position,
  ]);
  return rows.length;
}

/** The consumer's position, locked until the transaction ends; undefined where another relay has it. */
async function lockProgress(tx: Tx, consumer: string): Promise<string | undefined> {
  const lock = () =>
    queryPrepared<{ position: string }>(
      tx,
      'SELECT position FROM outbox_progress WHERE consumer = $1 FOR UPDATE SKIP LOCKED',
      [consumer],
    );
  let [row] = await lock();
  if (row === undefined) {
    await tx.query('INSERT INTO outbox_progress VALUES ($1, 0) ON CONFLICT DO NOTHING', [consumer]);
    [row] = await lock();
  }
  return row?.position;
}

function toEvent(row: EventRow): RelayedEvent {
  const { id, type, payload, position } = row;
  return { id, userId: row.user_id, type, payload, position, createdAt: row.created_at };
}
