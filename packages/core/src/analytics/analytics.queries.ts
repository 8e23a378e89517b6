import type { TradingType } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import type { HoldingChange } from '../performance/index.js';
import {
  DAYS_SQL,
  NIL_UUID,
  RUNS_SQL,
  SELECTED_BY,
  SUMMABLE_COLUMNS,
  VALUE_COLUMNS,
} from './computed-results.queries.js';
import type { ReadPlan, TimeRange } from './read-plan.rules.js';
import type { LossRuns, ResultSums } from './result-totals.js';

/** Selects the user's trades, by uuids. An absent field does not restrict the selection. */
export interface AnalyticsFilter {
  readonly userId: string;
  readonly accountId: string | undefined;
  readonly pairId: string | undefined;
  readonly strategyId: string | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

export interface PairInfo {
  readonly pairId: string;
  readonly symbol: string;
  readonly tradingType: TradingType;
  readonly base: string;
  readonly quote: string;
}

/** Sums over the trades of one account, pair and strategy. */
export interface ResultRow extends ResultSums {
  readonly accountId: string;
  readonly pairId: string;
  readonly strategyId: string;
  readonly quote: string;
  /** The first day with a closure or funding (`yyyy-mm-dd`); null without both. */
  readonly firstDay: string | null;
  /** The first day with a fill, a closure or funding; null without all. */
  readonly firstFillDay: string | null;
  readonly best_pnl: string | null;
  readonly worst_pnl: string | null;
}

/** The sums of all results in one currency on one day. */
export interface DayRow {
  readonly quote: string;
  /** `yyyy-mm-dd`. */
  readonly day: string;
  readonly net_pnl: string;
  /** The number of closures. */
  readonly part_count: number;
  readonly fill_count: number;
  readonly funding: string;
}

/** The results of one day, account, pair and strategy, computed from fills, lots and trades. */
export interface ComputedRow extends ResultRow, DayRow {
  readonly net_pnl: string;
  readonly part_count: number;
  readonly fill_count: number;
  readonly funding: string;
  readonly held_change: string;
  readonly cost_change: string;
  readonly fees_in_others: Readonly<Record<string, string>> | null;
  readonly best_trade_id: string | null;
  readonly worst_trade_id: string | null;
}

/** The condition that a row of `result_days` was written by an earlier release and lacks columns of this one. */
export const IS_OUTDATED =
  '(held_change IS NULL OR funding IS NULL OR (fees_in_others IS NOT NULL AND unvalued_fee_count IS NULL))';

/** Returns the user's days in the range whose rollups may be outdated. */
export async function loadStaleDays(
  tx: Tx,
  { userId, from, to }: AnalyticsFilter,
): Promise<readonly string[]> {
  const rows: { day: string }[] = await tx.query(
    `SELECT day::text AS day FROM (
       SELECT user_id, day FROM result_marks WHERE user_id = $1
       UNION SELECT user_id, day FROM result_days WHERE user_id = $1 AND ${IS_OUTDATED}) d
     WHERE ($2::timestamptz IS NULL OR day >= ($2 AT TIME ZONE 'UTC')::date)
       AND ($3::timestamptz IS NULL OR day <= ($3 AT TIME ZONE 'UTC')::date)
     ORDER BY day`,
    [userId, from ?? null, to ?? null],
  );
  return rows.map(({ day }) => day);
}

/**
 * Selects rollups. $1: user; $2: first day; $3: the day after the last; $4: stale days to omit; $5 to $7: account, pair
 * and strategy.
 */
const ROLLUP_FILTER = `r.user_id = $1 AND ($2::date IS NULL OR r.day >= $2) AND ($3::date IS NULL OR r.day < $3)
  AND NOT r.day = ANY ($4::date[])
  AND ($5::uuid IS NULL OR r.exchange_account_id = $5) AND ($6::uuid IS NULL OR r.trade_pair_id = $6)
  AND ($7::uuid IS NULL OR r.strategy_id = $7)`;

function rollupParams(selection: AnalyticsFilter, plan: ReadPlan): unknown[] {
  const { userId, accountId, pairId, strategyId } = selection;
  const { fromDay, toDay, staleDays } = plan;
  return [userId, fromDay, toDay, staleDays, accountId ?? null, pairId ?? null, strategyId ?? null];
}

const SUMS = [
  // Rows of an earlier release that have no fee in a third asset have no count of unvalued fees either.
  ...SUMMABLE_COLUMNS.counts.map((name) => `coalesce(sum(r.${name}), 0)::int AS ${name}`),
  ...SUMMABLE_COLUMNS.amounts.map((name) => `sum(r.${name}) AS ${name}`),
].join(', ');

/** Returns rollup sums by account, pair and strategy. */
export async function loadRollupResults(
  tx: Tx,
  selection: AnalyticsFilter,
  plan: ReadPlan,
): Promise<readonly ResultRow[]> {
  return tx.query(
    `SELECT k.*, p.quote FROM (
       SELECT r.exchange_account_id AS "accountId", r.trade_pair_id AS "pairId", r.strategy_id AS "strategyId", ${SUMS},
         min(r.day) FILTER (WHERE r.part_count > 0 OR r.funding <> 0)::text AS "firstDay",
         min(r.day) FILTER (WHERE r.fill_count + r.part_count > 0 OR r.funding <> 0)::text AS "firstFillDay", max(r.best_pnl) AS best_pnl,
         min(r.worst_pnl) AS worst_pnl
       FROM result_days r WHERE ${ROLLUP_FILTER} GROUP BY 1, 2, 3) k
     JOIN trade_pairs p ON p.id = k."pairId"`,
    rollupParams(selection, plan),
  );
}

/** Returns rollup sums by day. */
export async function loadRollupDays(
  tx: Tx,
  selection: AnalyticsFilter,
  plan: ReadPlan,
): Promise<readonly DayRow[]> {
  return tx.query(
    `SELECT p.quote, r.day::text AS day, sum(r.net_pnl) AS net_pnl, sum(r.part_count)::int AS part_count,
       sum(r.fill_count)::int AS fill_count, sum(r.funding) AS funding
     FROM result_days r JOIN trade_pairs p ON p.id = r.trade_pair_id
     WHERE ${ROLLUP_FILTER} GROUP BY p.quote, r.day`,
    rollupParams(selection, plan),
  );
}

/** Computes, from fills, lots and trades, the sums of the time ranges that have no current rollups. */
export async function computeResults(
  tx: Tx,
  selection: AnalyticsFilter,
  { computedRanges }: ReadPlan,
): Promise<readonly ComputedRow[]> {
  if (computedRanges.length === 0) return [];
  return tx.query(
    `SELECT ${VALUE_COLUMNS.map((column) => `r.${column}`).join(', ')}, r.trade_pair_id AS "pairId", r.strategy_id AS "strategyId", r.exchange_account_id AS "accountId",
       p.quote, r.day::text AS day, CASE WHEN r.part_count > 0 OR r.funding <> 0 THEN r.day::text END AS "firstDay",
       CASE WHEN r.fill_count + r.part_count > 0 OR r.funding <> 0 THEN r.day::text END AS "firstFillDay"
     FROM (${DAYS_SQL}) r JOIN trade_pairs p ON p.id = r.trade_pair_id
     WHERE $6::uuid IS NULL OR r.strategy_id = $6
     ORDER BY r.day, r.trade_pair_id, r.exchange_account_id, r.strategy_id`,
    [...timeRangeParams(selection, computedRanges), selection.strategyId ?? null],
  );
}

function timeRangeParams(selection: AnalyticsFilter, ranges: readonly TimeRange[]): unknown[] {
  const users = ranges.map(() => selection.userId);
  const { accountId, pairId } = selection;
  return [
    users,
    ranges.map(({ since }) => since),
    ranges.map(({ until }) => until),
    accountId ?? null,
    pairId ?? null,
  ];
}

interface ChangeOfDay extends HoldingChange {
  readonly accountId: string;
}

/** Returns, by account, pair and rollup day, how the open lots changed in one currency. */
export async function loadRollupChanges(
  tx: Tx,
  selection: AnalyticsFilter,
  plan: ReadPlan,
  quote: string,
): Promise<readonly ChangeOfDay[]> {
  return tx.query(
    `SELECT r.exchange_account_id AS "accountId", r.trade_pair_id AS "pairId", r.day::text AS day,
       sum(r.held_change)::text AS "heldChange", sum(r.cost_change)::text AS "costChange"
     FROM result_days r JOIN trade_pairs p ON p.id = r.trade_pair_id
     WHERE ${ROLLUP_FILTER} AND p.quote = $8 AND (r.held_change <> 0 OR r.cost_change <> 0) GROUP BY 1, 2, 3`,
    [...rollupParams(selection, plan), quote],
  );
}

/** Returns, by account and pair, what rollup days left open in one currency. */
export async function loadRollupHoldings(
  tx: Tx,
  selection: AnalyticsFilter,
  plan: ReadPlan,
  quote: string,
): Promise<readonly Omit<ChangeOfDay, 'day'>[]> {
  return tx.query(
    `SELECT r.exchange_account_id AS "accountId", r.trade_pair_id AS "pairId",
       sum(r.held_change)::text AS "heldChange", sum(r.cost_change)::text AS "costChange"
     FROM result_days r JOIN trade_pairs p ON p.id = r.trade_pair_id
     WHERE ${ROLLUP_FILTER} AND p.quote = $8 GROUP BY 1, 2
     HAVING sum(r.held_change) <> 0 OR sum(r.cost_change) <> 0`,
    [...rollupParams(selection, plan), quote],
  );
}

export interface RollupExtreme {
  readonly kind: 'best' | 'worst';
  readonly tradeId: string;
  readonly pnl: string;
}

/** Returns the best and the worst closed trade of the rollup days, in one currency. */
export async function loadRollupExtremes(
  tx: Tx,
  selection: AnalyticsFilter,
  plan: ReadPlan,
  quote: string,
): Promise<readonly RollupExtreme[]> {
  const extreme = (kind: RollupExtreme['kind'], direction: string) =>
    `(SELECT '${kind}' AS kind, r.${kind}_trade_id AS "tradeId", r.${kind}_pnl AS pnl
      FROM result_days r JOIN trade_pairs p ON p.id = r.trade_pair_id
      WHERE ${ROLLUP_FILTER} AND p.quote = $8 AND r.${kind}_pnl IS NOT NULL
      ORDER BY r.${kind}_pnl ${direction}, r.day, r.${kind}_trade_id LIMIT 1)`;
  return tx.query(`${extreme('best', 'DESC')} UNION ALL ${extreme('worst', 'ASC')}`, [
    ...rollupParams(selection, plan),
    quote,
  ]);
}

/** Returns, for the rollup days, the fees that were paid neither in base nor in quote currency. */
export async function loadRollupOtherFees(
  tx: Tx,
  selection: AnalyticsFilter,
  plan: ReadPlan,
): Promise<readonly { readonly currency: string; readonly amount: string }[]> {
  return tx.query(
    `SELECT f.key AS currency, sum(f.value::numeric) AS amount
     FROM result_days r CROSS JOIN LATERAL jsonb_each_text(r.fees_in_others) f
     WHERE ${ROLLUP_FILTER} AND r.fees_in_others IS NOT NULL GROUP BY f.key`,
    rollupParams(selection, plan),
  );
}

interface RunRow extends LossRuns {
  /** `yyyy-mm-dd`. */
  readonly day: string;
}

/** Returns the loss runs of each day or computed range in one currency, oldest first. */
export async function lossRuns(
  tx: Tx,
  selection: AnalyticsFilter,
  plan: ReadPlan,
  quote: string,
): Promise<readonly LossRuns[]> {
  const { userId, accountId, pairId, strategyId } = selection;
  const selectedBy =
    (accountId === undefined ? 0 : SELECTED_BY.account) |
    (pairId === undefined ? 0 : SELECTED_BY.pair) |
    (strategyId === undefined ? 0 : SELECTED_BY.strategy);
  const columns = 'day::text AS day, closed_count, first_losses, last_losses, longest';
  const stored: RunRow[] = await tx.query(
    `SELECT ${columns} FROM result_runs
     WHERE user_id = $1 AND selected_by = $2 AND exchange_account_id = $3 AND trade_pair_id = $4
       AND strategy_id = $5 AND quote = $6 AND ($7::date IS NULL OR day >= $7) AND ($8::date IS NULL OR day < $8)
       AND NOT day = ANY ($9::date[])`,
    [
      userId,
      selectedBy,
      accountId ?? NIL_UUID,
      pairId ?? NIL_UUID,
      strategyId ?? NIL_UUID,
      quote,
      plan.fromDay,
      plan.toDay,
      plan.staleDays,
    ],
  );
  const computed: RunRow[] =
    plan.computedRanges.length === 0
      ? []
      : await tx.query(`SELECT ${columns} FROM (${RUNS_SQL}) r WHERE quote = $8`, [
          ...timeRangeParams(selection, plan.computedRanges),
          [selectedBy],
          strategyId ?? null,
          quote,
        ]);
  return [...stored, ...computed].sort((a, b) => (a.day < b.day ? -1 : 1));
}

export async function loadPairInfo(tx: Tx, ids: readonly string[]): Promise<readonly PairInfo[]> {
  return tx.query(
    `SELECT id AS "pairId", coalesce(listed_symbol, symbol) AS symbol, trading_type AS "tradingType", base, quote
     FROM trade_pairs
     WHERE id = ANY ($1) ORDER BY 2, id`,
    [ids],
  );
}
