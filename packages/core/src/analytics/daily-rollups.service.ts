import { type Database, inTransaction, type Tx, withAdvisoryLock } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';
import { refreshFigures } from '../strategies/index.js';
import { IS_OUTDATED } from './analytics.queries.js';
import {
  ALL_SELECTIONS,
  DAY_COLUMNS,
  DAYS_SQL,
  NIL_UUID,
  RUN_COLUMNS,
  RUNS_SQL,
} from './computed-results.queries.js';

/** The number of user days per transaction. Even for busy users they take far less than the statement timeout. */
const DAYS_PER_BATCH = 20;
const STATEMENT_TIMEOUT_MS = 60_000;
/** The number of user days after which the figures of strategies are updated and the users' turns begin anew. */
const DAYS_PER_ROUND = 200;
/** The number of marks, oldest first, from which the days of one round are taken. */
const MARKS_PER_ROUND = 100_000;

interface UserDay {
  readonly user_id: string;
  /** `yyyy-mm-dd`. */
  readonly day: string;
}

/**
 * Maintains the rollups of each day (`result_days`, `result_runs`, `strategy_days`) and, from them, the figures of
 * strategies. They are derived from fills, lots
 * and trades, and make sums over years readable in milliseconds. Nothing else depends on them; they can be deleted at
 * any time.
 *
 * 1. A change of fills, lots or trades fires database triggers. In the same transaction they mark the affected days as
 *    stale.
 * 2. A stale day is recomputed in full from one database snapshot, and only the marks that this snapshot contains are
 *    removed. A change that is committed meanwhile has its own mark, which remains.
 * 3. Users take turns: a round contains the day of each user that was marked first, then the second of each. Another
 *    user's stale days thus delay the figures of a strategy by at most 200 days.
 * 4. Readers compute stale days from fills, lots and trades. Results are therefore never outdated, even if this job
 *    does not run.
 */
export class DailyRollups {
  constructor(private readonly platform: Platform) {}

  /**
   * Refreshes all days that were stale at the start and returns their number; null if another process is refreshing.
   * Only one process at a time refreshes. Days that are marked meanwhile wait for the next run, because otherwise the
   * run would never end on a busy day.
   */
  async refresh(): Promise<number | null> {
    const { database } = this.platform;
    const outcome = await withAdvisoryLock(database, 'result days', async (signal) => {
      // Rows that a process of an earlier release wrote lack columns.
      await database.query(
        `INSERT INTO result_marks (user_id, day)
         SELECT DISTINCT user_id, day FROM result_days WHERE ${IS_OUTDATED}`,
      );
      const [{ lastMarkId }]: [{ lastMarkId: string | null }] = await database.query(
        'SELECT max(id)::text AS "lastMarkId" FROM result_marks',
      );
      let refreshed = 0;
      for (let days = 1; days > 0 && !signal.aborted; refreshed += days) {
        days = await refreshRound(database, lastMarkId, signal);
      }
      return refreshed;
    });
    return outcome.acquired ? outcome.value : null;
  }
}

/** The USING and WHERE clauses of a DELETE of marked days; $1 are the users, $2 the days. */
const OF_MARKED_DAYS = `USING unnest($1::uuid[], $2::date[]) AS d (user_id, day)
  WHERE r.user_id = d.user_id AND r.day = d.day`;

interface StrategyDay {
  readonly strategy_id: string;
  /** `yyyy-mm-dd`. */
  readonly day: string;
}

/** Refreshes up to 200 stale days with a mark up to `lastMarkId`, and returns their number. */
async function refreshRound(
  database: Database,
  lastMarkId: string | null,
  signal: AbortSignal,
): Promise<number> {
  const changedStrategies = new Set<string>();
  const stale = await staleDays(database.manager, lastMarkId);
  for (let start = 0; start < stale.length && !signal.aborted; start += DAYS_PER_BATCH) {
    const batch = stale.slice(start, start + DAYS_PER_BATCH);
    const strategyIds = await inTransaction(database, (tx) => refreshBatch(tx, batch), {
      isolation: 'REPEATABLE READ',
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    });
    for (const id of strategyIds) changedStrategies.add(id);
  }
  await refreshFigures(database, [...changedStrategies], signal);
  return stale.length;
}

/** Returns the stale days of a round: of each user the day that was marked first, then the second of each. */
export async function staleDays(tx: Tx, lastMarkId: string | null): Promise<UserDay[]> {
  return tx.query(
    `SELECT user_id, day::text AS day FROM (
       SELECT user_id, day, since, row_number() OVER (PARTITION BY user_id ORDER BY since) AS turn FROM (
         SELECT user_id, day, min(id) AS since
         FROM (SELECT id, user_id, day FROM result_marks WHERE id <= $2 ORDER BY id LIMIT $1) m
         GROUP BY user_id, day) days) turns
     ORDER BY turn, since LIMIT $3`,
    [MARKS_PER_ROUND, lastMarkId, DAYS_PER_ROUND],
  );
}

/** Refreshes stale days. Returns the strategies whose days changed. */
async function refreshBatch(tx: Tx, marked: readonly UserDay[]): Promise<string[]> {
  const users = marked.map(({ user_id }) => user_id);
  const days = marked.map(({ day }) => day);
  for (const table of ['result_marks', 'result_runs']) {
    await tx.query(`DELETE FROM ${table} r ${OF_MARKED_DAYS}`, [users, days]);
  }
  const dayStarts = days.map((day) => `${day}T00:00:00Z`);
  const timeRanges = [users, dayStarts, days.map(endOf), null, null];
  const removed: [StrategyDay[], number] = await tx.query(
    `DELETE FROM result_days r ${OF_MARKED_DAYS} RETURNING r.strategy_id, r.day::text AS day`,
    [users, days],
  );
  const added: StrategyDay[] = await tx.query(
    `INSERT INTO result_days (${DAY_COLUMNS}) ${DAYS_SQL} RETURNING strategy_id, day::text AS day`,
    timeRanges,
  );
  await tx.query(`INSERT INTO result_runs (${RUN_COLUMNS}) ${RUNS_SQL}`, [
    ...timeRanges,
    ALL_SELECTIONS,
    null,
  ]);
  await tx.query(
    `INSERT INTO equity_currencies (exchange_account_id, currency)
     SELECT DISTINCT r.exchange_account_id, p.quote
     FROM result_days r JOIN trade_pairs p ON p.id = r.trade_pair_id
     JOIN unnest($1::uuid[], $2::date[]) AS d (user_id, day) ON d.user_id = r.user_id AND d.day = r.day
     ON CONFLICT DO NOTHING`,
    [users, days],
  );
  const changed = [...removed[0], ...added].filter(({ strategy_id }) => strategy_id !== NIL_UUID);
  await refreshStrategies(tx, changed);
  return changed.map(({ strategy_id }) => strategy_id);
}

/**
 * Recomputes `strategy_days`. The account separates the strategy's own results from those of its copiers, because a
 * strategy never trades on a copier's account.
 */
async function refreshStrategies(tx: Tx, strategyDays: readonly StrategyDay[]): Promise<void> {
  if (strategyDays.length === 0) return;
  const params = [strategyDays.map(({ strategy_id }) => strategy_id), strategyDays.map(({ day }) => day)];
  await tx.query(
    `DELETE FROM strategy_days s USING unnest($1::uuid[], $2::date[]) AS d (strategy_id, day)
     WHERE s.strategy_id = d.strategy_id AND s.day = d.day`,
    params,
  );
  const isOwn = 'r.exchange_account_id = s.exchange_account_id';
  const sumOfOwn = (column: string, type: string) =>
    `coalesce(sum(r.${column}) FILTER (WHERE ${isOwn}), 0)::${type}`;
  await tx.query(
    `INSERT INTO strategy_days (strategy_id, quote, day, fill_count, part_count, closed_count, winning_count, net_pnl,
       copier_net_pnl)
     SELECT s.id, p.quote, r.day, ${['fill_count', 'part_count', 'closed_count', 'winning_count'].map((name) => sumOfOwn(name, 'int')).join(', ')},
       ${sumOfOwn('net_pnl', 'numeric')}, coalesce(sum(r.net_pnl) FILTER (WHERE NOT ${isOwn}), 0)
     FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::date[]) AS u (strategy_id, day)) d
     JOIN result_days r ON r.strategy_id = d.strategy_id AND r.day = d.day
     JOIN strategies s ON s.id = r.strategy_id
     JOIN trade_pairs p ON p.id = r.trade_pair_id
     GROUP BY s.id, p.quote, r.day`,
    params,
  );
}

const DAY_MS = 86_400_000;
const endOf = (day: string) => new Date(Date.parse(day) + DAY_MS).toISOString();
