import { queryPrepared, type Tx } from '@trading-automation/persistence';
import type { DayPrice } from './open-results.rules.js';

const DAY_MS = 86_400_000;

/**
 * Returns the last price of each pair on each day that has one, from the day that starts at `sinceMs`, and the last
 * price before it. If `before` is set, ignores the days from that instant on.
 */
export function dayPrices(
  tx: Tx,
  pairIds: readonly string[],
  sinceMs: number,
  before: Date | undefined,
): Promise<DayPrice[]> {
  if (pairIds.length === 0) return Promise.resolve([]);
  return queryPrepared<DayPrice>(
    tx,
    `SELECT d.trade_pair_id AS "pairId", d.day::text AS day, trim_scale(d.price)::text AS price
     FROM unnest($1::uuid[]) AS selected (id)
     CROSS JOIN LATERAL (
       SELECT max(day) AS day FROM pair_day_prices WHERE trade_pair_id = selected.id AND day < $2::date) earlier
     JOIN pair_day_prices d ON d.trade_pair_id = selected.id AND d.day >= coalesce(earlier.day, $2::date)
     WHERE $3::date IS NULL OR d.day < $3`,
    [pairIds, dayOf(sinceMs), before === undefined ? null : dayOf(before.getTime() + DAY_MS - 1)],
  );
}

const dayOf = (instantMs: number) => new Date(instantMs).toISOString().slice(0, 10);

/**
 * Stores the last prices of all pairs with open lots as the prices of the current UTC day. The last call of a day
 * leaves its last price.
 */
export async function recordDayPrices(tx: Tx): Promise<void> {
  await tx.query(
    `INSERT INTO pair_day_prices AS d (trade_pair_id, day, price, taken_at)
     SELECT p.id, (now() AT TIME ZONE 'UTC')::date, p.last_price, now()
     FROM trade_pairs p
     WHERE p.last_price > 0 AND p.id IN (SELECT DISTINCT trade_pair_id FROM lots WHERE open_amount > 0)
     ON CONFLICT (trade_pair_id, day) DO UPDATE SET price = excluded.price, taken_at = excluded.taken_at
     WHERE d.price <> excluded.price`,
  );
}
