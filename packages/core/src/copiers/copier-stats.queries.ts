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
import { profitShareStateOf } from './profit-share-terms.queries.js';
import type { ProfitShareState } from './profit-share-terms.rules.js';
import { type TrackedLot, trackingOf } from './tracking.rules.js';

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
  readonly trackedLots: readonly TrackedRow[] | null;
  readonly lotDays: readonly CopierDay[] | null;
  readonly profitShare: ProfitShareState;
}

/** What the record of a copier shows besides its settings. */
export interface CopierFigures {
  readonly stats: CopierStats;
  readonly profitShare: ProfitShareState;
}

interface TrackedRow {
  readonly side: TrackedLot['side'];
  readonly copierCost: Decimal;
  readonly copierPnl: Decimal;
  readonly copierEntry: Decimal;
  readonly copierExit: Decimal;
  readonly leaderCost: Decimal;
  readonly leaderPnl: Decimal;
  readonly leaderEntry: Decimal;
  readonly leaderExit: Decimal;
  readonly referenceEntry: Decimal;
  readonly referenceExit: Decimal;
  readonly targetEntry: Decimal | null;
  readonly targetExit: Decimal | null;
}

/** The maximum number of a copier's newest lots that are compared with the leader's lots. */
const TRACKED_LOTS_MAX = 1_000;

/** Selects the closed parts of the lots that satisfy `condition`, with average prices, grouped by the columns `key`. */
const closedSides = (key: string, condition: string) => `
  SELECT ${key}, l.side, sum(c.entry_value) AS cost, sum(c.pnl) AS pnl, sum(c.amount * o.price) / sum(c.amount) AS entry,
    sum(c.amount * x.price) / sum(c.amount) AS exit,
    sum(c.amount * coalesce((ot.copy ->> 'reference_price')::numeric, o.price)) / sum(c.amount) AS reference_entry,
    sum(c.amount * coalesce((xt.copy ->> 'reference_price')::numeric, x.price)) / sum(c.amount) AS reference_exit
  FROM lots l JOIN lot_closures c ON c.lot_id = l.id
  JOIN fills o ON o.id = l.id JOIN trades ot ON ot.id = l.trade_id
  JOIN fills x ON x.id = c.fill_id JOIN trades xt ON xt.id = c.trade_id
  WHERE ${condition}
  GROUP BY ${key}, l.side HAVING sum(c.entry_value) > 0`;

/**
 * Collects, for each copier, the newest lots that can be compared with the leader's lots. Omits detached lots, because
 * what the user closed by hand is not a result of the copier. Decimals are returned as strings.
 */
const TRACKED = `
  newest AS MATERIALIZED (
    SELECT a.id AS copier_id, n.source_trade_id
    FROM selected a CROSS JOIN LATERAL (
      SELECT source_trade_id FROM lots WHERE copier_id = a.id AND source_trade_id IS NOT NULL
      GROUP BY source_trade_id HAVING NOT bool_or(is_detached)
      ORDER BY max(opened_at) DESC LIMIT ${TRACKED_LOTS_MAX}) n
  ), copies AS (${closedSides(
    'l.copier_id, l.source_trade_id',
    '(l.copier_id, l.source_trade_id) IN (SELECT copier_id, source_trade_id FROM newest)',
  )}
  ), leaders AS (${closedSides(
    'l.trade_id',
    'l.copier_id IS NULL AND l.trade_id IN (SELECT source_trade_id FROM newest)',
  )}
  ), targets AS (
    SELECT n.copier_id, n.source_trade_id,
      sum(d.target_amount * d.reference_price) FILTER (WHERE d.kind IN ('OPEN', 'INCREASE'))
        / nullif(sum(d.target_amount) FILTER (WHERE d.kind IN ('OPEN', 'INCREASE')), 0) AS entry,
      sum(d.target_amount * d.reference_price) FILTER (WHERE d.kind IN ('REDUCE', 'CLOSE'))
        / nullif(sum(d.target_amount) FILTER (WHERE d.kind IN ('REDUCE', 'CLOSE')), 0) AS exit
    FROM newest n
    JOIN decisions d ON d.lot_trade_id = n.source_trade_id AND d.copier_id = n.copier_id AND d.filled_amount > 0
    GROUP BY 1, 2
  ), tracked AS MATERIALIZED (
    SELECT c.copier_id AS id, json_agg(json_build_object('side', c.side, 'copierCost', c.cost::text,
      'copierPnl', c.pnl::text, 'copierEntry', c.entry::text, 'copierExit', c.exit::text, 'leaderCost', l.cost::text,
      'leaderPnl', l.pnl::text, 'leaderEntry', l.entry::text, 'leaderExit', l.exit::text,
      'referenceEntry', c.reference_entry::text, 'referenceExit', c.reference_exit::text,
      'targetEntry', t.entry::text, 'targetExit', t.exit::text)) AS lots
    FROM copies c JOIN leaders l ON l.trade_id = c.source_trade_id AND l.side = c.side
    LEFT JOIN targets t ON t.copier_id = c.copier_id AND t.source_trade_id = c.source_trade_id
    GROUP BY c.copier_id
  )`;

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
    LEFT JOIN LATERAL (SELECT sum(pnl) AS pnl FROM lot_closures c WHERE c.lot_id = l.id) r ON true
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
    t.lots AS "trackedLots", r.days AS "lotDays", ${profitShareStateOf('a.id')} AS "profitShare"
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
  const tracking = trackingOf((row.trackedLots ?? []).map(trackedLot));
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

function trackedLot(row: TrackedRow): TrackedLot {
  const reference = { entryPrice: row.referenceEntry, exitPrice: row.referenceExit };
  const { targetEntry, targetExit } = row;
  return {
    side: row.side,
    copier: {
      cost: row.copierCost,
      pnl: row.copierPnl,
      entryPrice: row.copierEntry,
      exitPrice: row.copierExit,
    },
    leader: {
      cost: row.leaderCost,
      pnl: row.leaderPnl,
      entryPrice: row.leaderEntry,
      exitPrice: row.leaderExit,
    },
    reference,
    target: {
      entryPrice: targetEntry ?? reference.entryPrice,
      exitPrice: targetExit ?? reference.exitPrice,
    },
  };
}
