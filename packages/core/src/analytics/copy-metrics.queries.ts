import type { Tx } from '@trading-automation/persistence';
import type { AnalyticsFilter } from './analytics.queries.js';

/** Latency, slippage and skipped signals of copies. */
export interface CopyMetrics {
  readonly medianLatencyMs: number | null;
  readonly p99LatencyMs: number | null;
  readonly averageSlippageBps: string | null;
  readonly skippedByReason: Readonly<Record<string, number>>;
}

interface Row {
  readonly count: number;
  readonly medianLatencyMs: number | null;
  readonly p99LatencyMs: number | null;
  readonly averageSlippageBps: string | null;
  readonly skippedByReason: Readonly<Record<string, number>> | null;
}

/** Returns the metrics of the decisions that the user's copiers made in the range; null without decisions. */
export async function loadCopyMetrics(tx: Tx, selection: AnalyticsFilter): Promise<CopyMetrics | null> {
  const { userId, accountId, pairId, strategyId, from, to } = selection;
  const [row]: Row[] = await tx.query(
    `WITH decided AS MATERIALIZED (
       SELECT d.outcome, d.code, d.latency_ms, d.slippage_bps, d.settled_at
       FROM copiers c JOIN decisions d ON d.copier_id = c.id
       WHERE c.user_id = $1 AND ($2::uuid IS NULL OR d.exchange_account_id = $2)
         AND ($3::uuid IS NULL OR d.symbol = (SELECT symbol FROM trade_pairs WHERE id = $3))
         AND ($4::uuid IS NULL OR d.strategy_id = $4)
         AND ($5::timestamptz IS NULL OR d.created_at >= $5) AND ($6::timestamptz IS NULL OR d.created_at < $6)
     )
     SELECT count(*)::int AS count,
       round(percentile_cont(0.5) WITHIN GROUP (ORDER BY latency_ms))::int AS "medianLatencyMs",
       percentile_disc(0.99) WITHIN GROUP (ORDER BY latency_ms) AS "p99LatencyMs",
       round(avg(slippage_bps), 8)::text AS "averageSlippageBps",
       (SELECT jsonb_object_agg(code, count) FROM (
          SELECT code, count(*) AS count FROM decided WHERE outcome = 'SKIPPED' AND code IS NOT NULL
            AND settled_at IS NOT NULL GROUP BY code) s
       ) AS "skippedByReason"
     FROM decided`,
    [userId, accountId ?? null, pairId ?? null, strategyId ?? null, from ?? null, to ?? null],
  );
  if (row === undefined || row.count === 0) return null;
  return { ...row, skippedByReason: row.skippedByReason ?? {} };
}
