/**
 * Reads copiers' profits with strategies at the end of a period, and stores settlements. All values are read as of that
 * instant, from lots and their closures, so a later run computes the same.
 */
import type { Decimal, ProfitSharePeriod } from '@trading-automation/contracts';
import { newUuid, queryPrepared, type Tx } from '@trading-automation/persistence';
import type { UtcPeriod } from './profit-share.rules.js';

/**
 * The profit of a copier with another user's strategy, in one quote currency. The copier has no open lots of the
 * strategy, and its profit exceeds the high-water mark.
 */
export type CopierProfit = {
  readonly copierId: string;
  readonly strategyId: string;
  readonly ownerId: string;
  readonly quote: string;
  readonly rate: Decimal;
  /** The profit of all closures since the first copy, net of fees. */
  readonly profit: Decimal;
  readonly highWaterMark: Decimal;
};

/**
 * A copier counts as having no open lots if what it holds is too small to sell, because a fee in base currency leaves
 * such a remainder in a lot forever. A strategy without a profit share is treated as if its period were WEEK.
 */
const COPIER_PROFITS = `
  WITH held AS (
    SELECT l.copier_id, l.strategy_id, l.trade_pair_id, sum(l.opened_amount - x.amount) AS amount,
      sum(l.opened_value - x.entry_value) AS value, sum(x.pnl) AS pnl
    FROM lots l
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(c.amount), 0) AS amount, coalesce(sum(c.entry_value), 0) AS entry_value,
        coalesce(sum(c.pnl), 0) AS pnl
      FROM lot_closures c WHERE c.lot_id = l.id AND c.closed_at < $3) x
    WHERE l.copier_id = ANY ($1) AND l.strategy_id IS NOT NULL AND l.opened_at < $3
    GROUP BY l.copier_id, l.strategy_id, l.trade_pair_id
  ), results AS (
    SELECT h.copier_id, h.strategy_id, p.quote, sum(h.pnl) AS profit,
      bool_and(bool_and(h.amount = 0 OR h.amount < greatest(p.amount_step, p.min_amount) OR h.value < p.min_notional))
        OVER (PARTITION BY h.copier_id, h.strategy_id) AS is_flat
    FROM held h JOIN trade_pairs p ON p.id = h.trade_pair_id
    GROUP BY h.copier_id, h.strategy_id, p.quote
  )
  SELECT r.copier_id AS "copierId", r.strategy_id AS "strategyId", s.user_id AS "ownerId", r.quote,
    coalesce(s.profit_share_rate, 0)::text AS rate, r.profit::text AS profit,
    coalesce(last.high_water_after, 0)::text AS "highWaterMark"
  FROM results r JOIN strategies s ON s.id = r.strategy_id JOIN copiers c ON c.id = r.copier_id
  LEFT JOIN LATERAL (
    SELECT f.high_water_after, f.period_to FROM profit_shares f
    WHERE f.copier_id = r.copier_id AND f.strategy_id = r.strategy_id AND f.quote = r.quote
    ORDER BY f.period_to DESC LIMIT 1) last ON true
  WHERE r.is_flat AND s.user_id <> c.user_id AND coalesce(s.profit_share_period, 'WEEK') = $2
    AND r.profit > coalesce(last.high_water_after, 0) AND (last.period_to IS NULL OR last.period_to < $3)
  ORDER BY r.copier_id, r.strategy_id, r.quote`;

/** Reads the profits of these copiers as of the end of the period, for strategies with periods of this kind. */
export function readCopierProfits(
  tx: Tx,
  kind: ProfitSharePeriod,
  { to }: UtcPeriod,
  copierIds: readonly string[],
): Promise<CopierProfit[]> {
  return queryPrepared<CopierProfit>(tx, COPIER_PROFITS, [copierIds, kind, to]);
}

/** Returns the ids of the next copiers after the id `after`, in order, including deleted copiers. */
export async function copiersAfter(tx: Tx, after: string, limit: number): Promise<string[]> {
  const rows = await queryPrepared<{ id: string }>(
    tx,
    'SELECT id FROM copiers WHERE id > $1 ORDER BY id LIMIT $2',
    [after, limit],
  );
  return rows.map(({ id }) => id);
}

/** Serialises settlements of this copier, without locking rows that other transactions use. */
export async function lockSettlement(tx: Tx, copierId: string): Promise<void> {
  await queryPrepared(tx, `SELECT pg_advisory_xact_lock(hashtextextended('profit share of ' || $1, 0))`, [
    copierId,
  ]);
}

export interface NewProfitShare {
  readonly copierProfit: CopierProfit;
  readonly period: UtcPeriod;
  readonly tokensPerQuote: Decimal | null;
  /** The new high-water mark. */
  readonly highWaterMark: Decimal;
}

/** Stores the share and returns its id; undefined if the period, or the profit above the mark, is already settled. */
export async function insertProfitShare(tx: Tx, share: NewProfitShare): Promise<string | undefined> {
  const { copierProfit, period } = share;
  const [row] = await queryPrepared<{ id: string }>(
    tx,
    `INSERT INTO profit_shares (id, copier_id, strategy_id, quote, period_from, period_to, rate, tokens_per_quote,
       high_water_before, high_water_after)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING RETURNING id`,
    [
      newUuid(),
      copierProfit.copierId,
      copierProfit.strategyId,
      copierProfit.quote,
      period.from,
      period.to,
      copierProfit.rate,
      share.tokensPerQuote,
      copierProfit.highWaterMark,
      share.highWaterMark,
    ],
  );
  return row?.id;
}

export interface NewShareReward {
  readonly shareId: string;
  readonly userId: string;
  readonly copierId: string;
  /** The code of the reward type. */
  readonly code: string;
  readonly amount: Decimal;
  readonly currency: string;
  readonly reason: string;
  readonly expiresDays: number | null;
}

/**
 * Stores the reward and returns its id.
 * @throws if the share already has a reward, or if the type does not exist
 */
export async function insertShareReward(tx: Tx, reward: NewShareReward): Promise<string> {
  const [row] = await queryPrepared<{ id: string }>(
    tx,
    `INSERT INTO rewards (id, user_id, type_id, amount, currency, reason, source_kind, source_id, profit_share_id,
       claimable_at, expires_at)
     SELECT $1, $2, t.id, $4, $5, $6, 'copier', $7, $8, now(), now() + $9::integer * interval '1 day'
     FROM reward_types t WHERE t.code = $3 RETURNING id`,
    [
      newUuid(),
      reward.userId,
      reward.code,
      reward.amount,
      reward.currency,
      reward.reason,
      reward.copierId,
      reward.shareId,
      reward.expiresDays,
    ],
  );
  if (row === undefined) throw new Error(`reward type ${reward.code} does not exist`);
  return row.id;
}

/** Returns the end of the last settled period of this kind; null if none was settled. */
export async function readSettledUntil(tx: Tx, kind: ProfitSharePeriod): Promise<Date | null> {
  const [row] = await queryPrepared<{ at: Date }>(
    tx,
    'SELECT settled_until AS at FROM profit_share_progress WHERE period = $1',
    [kind],
  );
  return row?.at ?? null;
}

export async function storeSettledUntil(tx: Tx, kind: ProfitSharePeriod, until: Date): Promise<void> {
  await queryPrepared(
    tx,
    `INSERT INTO profit_share_progress AS p (period, settled_until) VALUES ($1, $2)
     ON CONFLICT (period) DO UPDATE SET settled_until = greatest(p.settled_until, excluded.settled_until)`,
    [kind, until],
  );
}
