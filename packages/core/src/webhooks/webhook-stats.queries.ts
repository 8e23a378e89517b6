import type { WebhookStats } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';

interface StatsRow extends Record<string, unknown> {
  readonly days: number;
  readonly attempts: number;
  readonly succeeded: number;
  readonly success_rate: string | null;
  readonly p95_response_time_ms: number | null;
}

const READ_STATS = `
  SELECT period.days, count(a.id)::int AS attempts, count(a.id) FILTER (WHERE a.status = 'SUCCEEDED')::int AS succeeded,
    trim_scale(round(100.0 * count(a.id) FILTER (WHERE a.status = 'SUCCEEDED') / nullif(count(a.id), 0), 2))::text AS success_rate,
    percentile_disc(0.95) WITHIN GROUP (ORDER BY a.response_time_ms)::int AS p95_response_time_ms
  FROM (VALUES (1), (7)) AS period (days)
    LEFT JOIN webhook_attempts a ON a.webhook_id = $1 AND a.attempted_at > now() - period.days * interval '1 day'
  GROUP BY period.days ORDER BY period.days`;

/** Returns the results of a webhook's attempts of the last day and of the last 7 days. */
export async function readWebhookStats(tx: Tx, webhookId: string): Promise<WebhookStats> {
  const [day, week] = await queryPrepared<StatsRow>(tx, READ_STATS, [webhookId]);
  return { last_24_hours: statsOf(day!), last_7_days: statsOf(week!) };
}

function statsOf({ days, ...stats }: StatsRow): WebhookStats['last_7_days'] {
  return { ...stats, failed: stats.attempts - stats.succeeded };
}
