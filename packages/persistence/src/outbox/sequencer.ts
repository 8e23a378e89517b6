/**
 * The sequencer assigns positions to committed events. Positions define the total order in which all consumers see the
 * events. Any process may run it at any time. For its guarantees see relay.ts, invariants 1 to 3.
 */
import type { DataSource } from 'typeorm';
import { queryPrepared } from '../prepared.js';
import { inTransaction } from '../transaction.js';

/** Maximum number of events per batch. */
export const SEQUENCE_BATCH_MAX = 1_000;
/** Name of the sequencer's advisory lock. */
const SEQUENCER_LOCK = 'outbox sequencer';

/**
 * Assigns positions to one batch of committed events and returns the number of events. A number below
 * `SEQUENCE_BATCH_MAX` means that no events are left. A separate statement takes the lock, because the statement that
 * assigns positions must take its snapshot under the lock.
 */
export async function sequenceBatch(dataSource: DataSource): Promise<number> {
  const [pending] = await queryPrepared<{ waiting: boolean }>(
    dataSource.manager,
    'SELECT EXISTS (SELECT FROM outbox_events WHERE position IS NULL) AS waiting',
    [],
  );
  if (!pending!.waiting) return 0;
  return inTransaction(dataSource, async (tx) => {
    await queryPrepared(tx, 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [SEQUENCER_LOCK]);
    const [sequenced] = await queryPrepared<{ count: number }>(tx, ASSIGN_POSITIONS, []);
    return sequenced!.count;
  });
}

const ASSIGN_POSITIONS = `
  WITH waiting AS MATERIALIZED (
    SELECT id, row_number() OVER (ORDER BY created_at, id) AS place
    FROM outbox_events WHERE position IS NULL ORDER BY created_at, id LIMIT ${SEQUENCE_BATCH_MAX}
  ), sequence AS (
    UPDATE outbox_sequence SET last_position = last_position + (SELECT count(*) FROM waiting)
    RETURNING last_position - (SELECT count(*) FROM waiting) AS before
  ), placed AS (
    UPDATE outbox_events e SET position = sequence.before + waiting.place
    FROM waiting, sequence WHERE e.id = waiting.id RETURNING 1
  )
  SELECT count(*)::int AS count FROM placed`;

/**
 * Assigns positions to all events that were committed before the call. Returns the last assigned position. Readers see
 * all events up to that position, and later events get higher positions.
 */
export async function sequenceEvents(dataSource: DataSource): Promise<bigint> {
  while ((await sequenceBatch(dataSource)) === SEQUENCE_BATCH_MAX);
  const [{ last_position }] = await dataSource.query('SELECT last_position FROM outbox_sequence');
  return BigInt(last_position);
}
