import { type CopierStats, canonicalDecimal, type Decimal } from '@trading-automation/contracts';
import { allColumns, queryPrepared, type Tx } from '@trading-automation/persistence';
import { lotsWithUnvaluedFee } from '../values/index.js';
import { CopierEntity } from './copier.entity.js';
import {
  COPIER_DAYS,
  type CopierDay,
  type CopierReturns,
  copierReturnsOf,
  NO_RETURNS,
} from './copier-returns.queries.js';
import { TRACKED } from './copier-tracking.queries.js';
import { profitShareStateOf } from './profit-share-terms.queries.js';
import type { ProfitShareState } from './profit-share-terms.rules.js';
import { type TrackingSums, trackingOf } from './tracking.rules.js';

/**
 * Names of copier columns are in snake_case and names of stats in camelCase, so that they cannot collide.
 */
interface StatsRow {
  readonly [column: string]: unknown;
  readonly id: string;
  readonly copiedCount: number;
  readonly skippedCount: number;
  readonly failedCount: number;
  readonly medianLatencyMs: number | null;
  readonly p99LatencyMs: number | null;
  readonly averageSlippageBps: Decimal | null;
  readonly openExposure: Decimal;
  readonly netPnl: Decimal;
  readonly hasUnvaluedFee: boolean;
  readonly tracking: TrackingSums | null;
  readonly lotDays: readonly CopierDay[] | null;
  readonly profitShare: ProfitShareState;
}

/** What the record of a copier shows besides its settings. */
export interface CopierFigures {
  readonly stats: CopierStats;
  readonly profitShare: ProfitShareState;
}

/**
 * Adds stats to the rows of the query `selection`, one row per copier with at least the column `id`. `columns` lists
 * the columns of `selection` to return, under the alias `a`.
 * Amounts of different currencies are never added: only the quote currency with the most lots counts. Open lots are
 * valued at the last price, or at their cost if no price is known. `unvalued` has the currencies of lots that lack
 * the value of a fee.
 */
const withStats = (columns: string, selection: string) => `
  WITH selected AS MATERIALIZED (
    ${selection}
  ), decided AS (
    SELECT copier_id AS id,
      count(*) FILTER (WHERE outcome IN ('COPIED', 'CLAMPED') AND settled_at IS NOT NULL)::int AS copied,
      count(*) FILTER (WHERE outcome = 'SKIPPED' AND settled_at IS NOT NULL)::int AS skipped,
      count(*) FILTER (WHERE outcome = 'FAILED' AND settled_at IS NOT NULL)::int AS failed,
      round(percentile_cont(0.5) WITHIN GROUP (ORDER BY latency_ms))::int AS median_latency_ms,
      percentile_disc(0.99) WITHIN GROUP (ORDER BY latency_ms) AS p99_latency_ms,
      round(avg(slippage_bps), 8) AS average_slippage_bps
    FROM decisions WHERE copier_id IN (SELECT id FROM selected) GROUP BY copier_id
  ), held AS (
    SELECT l.copier_id AS id, p.quote, count(*) AS lot_count,
      sum(CASE WHEN l.open_amount > 0 THEN coalesce(l.open_amount * p.last_price, l.open_value) ELSE 0 END) AS exposure,
      sum(r.pnl) AS net_pnl
    FROM lots l JOIN trade_pairs p ON p.id = l.trade_pair_id
    CROSS JOIN LATERAL (
      SELECT coalesce((SELECT sum(c.pnl) FROM lot_closures c WHERE c.lot_id = l.id), 0)
        + coalesce((SELECT sum(f.amount) FROM lot_funding f WHERE f.lot_id = l.id), 0) AS pnl) r
    WHERE l.copier_id IN (SELECT id FROM selected) GROUP BY l.copier_id, p.quote
  ), main AS (
    SELECT DISTINCT ON (id) id, quote, exposure, net_pnl FROM held ORDER BY id, lot_count DESC, quote
  ), unvalued AS (
    SELECT DISTINCT l.copier_id AS id, p.quote
    FROM ${lotsWithUnvaluedFee(
      'f.exchange_account_id IN (SELECT exchange_account_id FROM copiers WHERE id IN (SELECT id FROM selected))',
    )} JOIN trade_pairs p ON p.id = l.trade_pair_id
    WHERE l.copier_id IN (SELECT id FROM selected)
  ), returned AS (${COPIER_DAYS}
  ), ${TRACKED}
  SELECT ${columns}, coalesce(d.copied, 0) AS "copiedCount", coalesce(d.skipped, 0) AS "skippedCount",
    coalesce(d.failed, 0) AS "failedCount", d.median_latency_ms AS "medianLatencyMs",
    d.p99_latency_ms AS "p99LatencyMs", d.average_slippage_bps::text AS "averageSlippageBps",
    round(coalesce(m.exposure, 0), 18)::text AS "openExposure", round(coalesce(m.net_pnl, 0), 18)::text AS "netPnl",
    EXISTS (SELECT FROM unvalued u WHERE u.id = a.id AND u.quote = m.quote) AS "hasUnvaluedFee",
    t.sums AS "tracking", r.days AS "lotDays", ${profitShareStateOf('a.id')} AS "profitShare"
  FROM selected a LEFT JOIN decided d USING (id) LEFT JOIN main m USING (id) LEFT JOIN tracked t USING (id)
    LEFT JOIN returned r ON r.copier_id = a.id`;

const STATS_BY_ID = withStats('a.id', 'SELECT a.id FROM unnest($1::uuid[]) AS a (id)');

const OWN_COPIERS_WITH_STATS = allColumns(CopierEntity, 'a', (columns) =>
  withStats(
    columns,
    `SELECT ${columns} FROM copiers a WHERE id = ANY ($1) AND user_id = $2 AND deleted_at IS NULL`,
  ),
);

/** Returns the stats and the profit share of each copier in `copierIds`. */
export async function copierFiguresOf(
  tx: Tx,
  copierIds: readonly string[],
): Promise<ReadonlyMap<string, CopierFigures>> {
  if (copierIds.length === 0) return new Map();
  const rows = await queryPrepared<StatsRow>(tx, STATS_BY_ID, [copierIds]);
  const returns = await copierReturnsOf(tx, rows);
  return new Map(
    rows.map((row) => [row.id, { stats: viewStats(row, returns), profitShare: row.profitShare }]),
  );
}

/** Returns the copiers with these ids that belong to the user, each with its figures as in `copierFiguresOf`. */
export async function readOwnCopiersWithStats(
  tx: Tx,
  userId: string,
  ids: readonly string[],
): Promise<readonly (CopierFigures & { readonly row: Readonly<Record<string, unknown>> })[]> {
  const rows = await queryPrepared<StatsRow>(tx, OWN_COPIERS_WITH_STATS(tx.connection), [ids, userId]);
  const returns = await copierReturnsOf(tx, rows);
  return rows.map((row) => ({ row, stats: viewStats(row, returns), profitShare: row.profitShare }));
}

function viewStats(row: StatsRow, returns: ReadonlyMap<string, CopierReturns>): CopierStats {
  const tracking = row.tracking === null ? null : trackingOf(row.tracking);
  return {
    copied: row.copiedCount,
    skipped: row.skippedCount,
    failed: row.failedCount,
    median_latency_ms: row.medianLatencyMs,
    p99_latency_ms: row.p99LatencyMs,
    average_slippage_bps: row.averageSlippageBps === null ? null : canonicalDecimal(row.averageSlippageBps),
    tracking_difference_bps: tracking?.differenceBps ?? null,
    tracking: tracking?.parts,
    open_exposure_quote: canonicalDecimal(row.openExposure),
    net_pnl: canonicalDecimal(row.netPnl),
    fees_incomplete: row.hasUnvaluedFee,
    ...(returns.get(row.id) ?? NO_RETURNS),
  };
}
