/** The maximum and the mean delay between the due time of an attempt and its start. */
const LATENESS = `
  SELECT coalesce(max(late), 0)::float8 AS "maxMs", coalesce(avg(late), 0)::float8 AS "meanMs"
  FROM (
    SELECT extract(epoch FROM a.attempted_at - coalesce(
      lag(a.next_attempt_at) OVER (PARTITION BY a.delivery_id ORDER BY a.attempt), d.created_at)) * 1000 AS late
    FROM webhook_attempts a JOIN webhook_deliveries d ON d.id = a.delivery_id
  ) attempts`;

/**
 * Returns how late the attempts of an environment were, by the clock of its database.
 *
 * @param {import('./environment.mjs').FaultEnvironment} environment
 * @returns {Promise<{ maxMs: number, meanMs: number }>}
 */
export async function latenessOf(environment) {
  const [{ maxMs, meanMs }] = await environment.query(LATENESS);
  return { maxMs: Math.round(maxMs), meanMs: Math.round(meanMs) };
}
