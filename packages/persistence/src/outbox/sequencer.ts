/**
 * The sequencer gives committed events their positions: the one order in which all consumers see them. Any process
 * may run it at any time; what is promised of positions stands in relay.ts, invariants 1 to 3.
 */
import type { DataSource } from 'typeorm';
import { queryPrepared } from '../prepared.js';
import { inTransaction } from '../transaction.js';

/** The most events that one turn places. */
export const SEQUENCE_BATCH_MAX = 1_000;
/** Names the sequencer's advisory lock in this database. */
const SEQUENCER_LOCK = 'outbox sequencer';

/**
 * One turn: gives visible events without a position the next ones, and returns how many; fewer than `PLACED_MAX`
 * means that none was left. The lock must be held before the statement's snapshot is taken, hence a statement of its own.
 */
export async function sequenceBatch(dataSource: DataSource): Promise<number> {
  const [found] = await queryPrepared<{ waiting: boolean }>(
    dataSource.manager,
    'SELECT EXISTS (SELECT FROM outbox_events WHERE position IS NULL) AS waiting',
    [],
  );
  if (!found!.waiting) return 0;
  return inTransaction(dataSource, async (tx) => {
    await queryPrepared(tx, 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [SEQUENCER_LOCK]);
    const [placed] = await queryPrepared<{ count: number }>(tx, PLACE, []);
    return placed!.count;
  });
}

const PLACE = `
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
 * Gives every event that is visible at the call its position, and returns the last one given. Every event up to
 * it can be read from then on, and none will ever come to stand among them.
 */
export async function sequenceEvents(dataSource: DataSource): Promise<bigint> {
  while ((await sequenceBatch(dataSource)) === SEQUENCE_BATCH_MAX);
  const [{ last_position }] = await dataSource.query('SELECT last_position FROM outbox_sequence');
  return BigInt(last_position);
}
