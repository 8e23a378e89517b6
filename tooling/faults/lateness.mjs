/** The longest that an attempt began after it was due, and the mean: what a lost queue costs. */
const LATENESS = `
  SELECT coalesce(max(late), 0)::float8 AS "mostMs", coalesce(avg(late), 0)::float8 AS "meanMs"
  FROM (
    SELECT extract(epoch FROM a.attempted_at - coalesce(
      lag(a.next_attempt_at) OVER (PARTITION BY a.delivery_id ORDER BY a.attempt), d.created_at)) * 1000 AS late
    FROM webhook_attempts a JOIN webhook_deliveries d ON d.id = a.delivery_id
  ) attempts`;

/**
 * How late the attempts of a world were, by the clock of its database.
 *
 * @param {import('./world.mjs').FaultWorld} world
 * @returns {Promise<{ mostMs: number, meanMs: number }>}
 */
export async function latenessOf(world) {
  const [{ mostMs, meanMs }] = await world.query(LATENESS);
  return { mostMs: Math.round(mostMs), meanMs: Math.round(meanMs) };
}
