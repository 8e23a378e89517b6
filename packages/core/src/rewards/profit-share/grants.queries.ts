/** Stores settlements and the rewards that they grant, and makes the grants of a month final. */
import type { Decimal, ProfitSharePeriod } from '@trading-automation/contracts';
import { newUuid, queryPrepared, type Tx } from '@trading-automation/persistence';
import type { UtcPeriod } from '../../values/index.js';
import type { Withheld } from './profit-share.rules.js';

export interface NewSettlement {
  readonly userId: string;
  readonly leaderAccountId: string;
  readonly currency: string;
  readonly period: UtcPeriod;
  readonly copierId: string;
  readonly strategyId: string;
  readonly rate: Decimal;
  readonly tokensPerQuote: Decimal | null;
  readonly realized: Decimal;
  readonly openLoss: Decimal;
  readonly markBefore: Decimal;
  readonly markAfter: Decimal;
  readonly amount: Decimal;
  readonly withheld: Withheld | null;
  /** Null if `amount` is 0. */
  readonly budgetMonth: string | null;
}

/** Stores the settlement and returns its id; undefined if the period, or the profit above the mark, is already settled. */
export async function insertSettlement(tx: Tx, settlement: NewSettlement): Promise<string | undefined> {
  const [row] = await queryPrepared<{ id: string }>(
    tx,
    `INSERT INTO profit_settlements (id, user_id, leader_account_id, currency, period_from, period_to, copier_id,
       strategy_id, rate, tokens_per_quote, realized, open_loss, mark_before, mark_after, amount, withheld, budget_month)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
     ON CONFLICT DO NOTHING RETURNING id`,
    [
      newUuid(),
      settlement.userId,
      settlement.leaderAccountId,
      settlement.currency,
      settlement.period.from,
      settlement.period.to,
      settlement.copierId,
      settlement.strategyId,
      settlement.rate,
      settlement.tokensPerQuote,
      settlement.realized,
      settlement.openLoss,
      settlement.markBefore,
      settlement.markAfter,
      settlement.amount,
      settlement.withheld,
      settlement.budgetMonth,
    ],
  );
  return row?.id;
}

export interface NewGrant {
  readonly settlementId: string;
  readonly userId: string;
  readonly copierId: string;
  /** The code of the reward type. */
  readonly code: string;
  readonly amount: Decimal;
  readonly currency: string;
  readonly reason: string;
}

/**
 * Stores a reward that is PENDING until the end of its budget month, and returns its id.
 * @throws if the settlement already has a reward, or if the type does not exist
 */
export async function insertGrant(tx: Tx, grant: NewGrant): Promise<string> {
  const [row] = await queryPrepared<{ id: string }>(
    tx,
    `INSERT INTO rewards (id, user_id, type_id, amount, currency, reason, source_kind, source_id, profit_settlement_id,
       is_pending, claimable_at)
     SELECT $1, $2, t.id, $4, $5, $6, 'copier', $7, s.id, true,
       (s.budget_month + interval '1 month') AT TIME ZONE 'UTC'
     FROM reward_types t JOIN profit_settlements s ON s.id = $8 WHERE t.code = $3 RETURNING id`,
    [
      newUuid(),
      grant.userId,
      grant.code,
      grant.amount,
      grant.currency,
      grant.reason,
      grant.copierId,
      grant.settlementId,
    ],
  );
  if (row === undefined) throw new Error(`reward type ${grant.code} does not exist`);
  return row.id;
}

const MONTHS_LOCK = `hashtextextended('months of profit shares', 0)`;

/**
 * Returns the month to whose budget a grant counts: `month`, or the first later one if its grants are already final.
 * Until the transaction ends, no month becomes final.
 */
export async function openBudgetMonth(tx: Tx, month: Date): Promise<string> {
  await queryPrepared(tx, `SELECT pg_advisory_xact_lock_shared(${MONTHS_LOCK})`, []);
  const [row] = await queryPrepared<{ month: string }>(
    tx,
    `SELECT greatest(($1::timestamptz AT TIME ZONE 'UTC')::date,
       (max(m.month) + interval '1 month')::date)::text AS month FROM profit_share_months m`,
    [month],
  );
  return row!.month;
}

/** Returns the first days of the months that ended by `at` and have grants that are not final, oldest first. */
export async function monthsToFinalize(tx: Tx, at: Date): Promise<string[]> {
  const rows = await queryPrepared<{ month: string }>(
    tx,
    `SELECT DISTINCT s.budget_month::text AS month
     FROM rewards r JOIN profit_settlements s ON s.id = r.profit_settlement_id
     WHERE r.is_pending AND (s.budget_month + interval '1 month') AT TIME ZONE 'UTC' <= $1 ORDER BY 1`,
    [at],
  );
  return rows.map(({ month }) => month);
}

/**
 * Scales all grants of a month by one factor, at most 1, so that they do not exceed the budget, and makes them
 * claimable. Each is rounded down. A grant of which nothing is left expires. A month is made final once; a second call
 * changes nothing. Returns the ids of the rewards that became claimable.
 */
export async function finalizeMonth(
  tx: Tx,
  month: string,
  budget: Decimal,
  expiresDays: number | null,
): Promise<string[]> {
  await queryPrepared(tx, `SELECT pg_advisory_xact_lock(${MONTHS_LOCK})`, []);
  const rows = await queryPrepared<{ id: string; amount: Decimal }>(
    tx,
    `WITH final AS (
       INSERT INTO profit_share_months (month, budget, requested, scale)
       SELECT $1::date, $2::numeric, total.requested,
         CASE WHEN total.requested <= $2 THEN 1 ELSE div($2 * 1e18, total.requested) * 1e-18 END
       FROM (SELECT coalesce(sum(amount), 0) AS requested FROM profit_settlements WHERE budget_month = $1) total
       ON CONFLICT DO NOTHING RETURNING month, budget, requested
     ), scaled AS (
       SELECT s.id, CASE WHEN f.requested <= f.budget THEN s.amount
         ELSE div(s.amount * f.budget * 1e18, f.requested) * 1e-18 END AS amount
       FROM final f JOIN profit_settlements s ON s.budget_month = f.month
     )
     UPDATE rewards r SET amount = s.amount, is_pending = false, claimable_at = now(), updated_at = clock_timestamp(),
       expires_at = CASE WHEN s.amount = 0 THEN now() + interval '1 microsecond'
         ELSE now() + $3::integer * interval '1 day' END
     FROM scaled s WHERE r.profit_settlement_id = s.id AND r.is_pending
     RETURNING r.id, trim_scale(r.amount)::text AS amount`,
    [month, budget, expiresDays],
  );
  return rows.filter(({ amount }) => amount !== '0').map(({ id }) => id);
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
