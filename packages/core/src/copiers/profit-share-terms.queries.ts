import type { Decimal, ProfitSharePeriod } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import type { ProfitShareState } from './profit-share-terms.rules.js';

/** Selects the `ProfitShareState` of the copier with the id `id`. Terms that later ones replaced are omitted. */
export const profitShareStateOf = (id: string) => `(
  SELECT json_build_object('accepted', (
      SELECT json_agg(json_build_object('rate', trim_scale(t.rate)::text, 'period', t.period, 'acceptedAt',
        t.accepted_at, 'since', nullif(t.since, '-infinity')) ORDER BY t.since, t.id)
      FROM (SELECT DISTINCT ON (greatest(t.since, statement_timestamp())) t.id, t.rate, t.period, t.since, t.accepted_at
            FROM copier_terms t WHERE t.copier_id = c.id AND t.strategy_id = c.strategy_id
            ORDER BY greatest(t.since, statement_timestamp()), t.since DESC, t.id DESC) t),
    'offered', CASE WHEN s.id IS NOT NULL THEN json_build_object(
      'rate', trim_scale(coalesce(s.profit_share_rate, 0))::text, 'period', s.profit_share_period) END)
  FROM copiers c LEFT JOIN strategies s ON s.id = c.strategy_id WHERE c.id = ${id})`;

export async function readProfitShareState(tx: Tx, copierId: string): Promise<ProfitShareState> {
  const [row] = await queryPrepared<{ state: ProfitShareState }>(
    tx,
    `SELECT ${profitShareStateOf('$1')} AS state`,
    [copierId],
  );
  return row!.state;
}

/** Stores terms that are in effect from `since`. */
export async function insertTerms(
  tx: Tx,
  copierId: string,
  strategyId: string,
  terms: { readonly rate: Decimal; readonly period: ProfitSharePeriod; readonly since: Date },
): Promise<void> {
  await queryPrepared(
    tx,
    `INSERT INTO copier_terms (copier_id, strategy_id, rate, period, since, accepted_at)
     VALUES ($1, $2, $3, $4, $5, clock_timestamp())`,
    [copierId, strategyId, terms.rate, terms.period, terms.since],
  );
}

/** Returns the ids of the copiers of other users that follow the strategy and accepted a lower rate than it offers. */
export async function copiersBelowOffer(tx: Tx, strategyId: string): Promise<string[]> {
  const rows = await queryPrepared<{ id: string }>(
    tx,
    `SELECT c.id FROM copiers c JOIN strategies s ON s.id = c.strategy_id
     CROSS JOIN LATERAL (SELECT t.rate FROM copier_terms t WHERE t.copier_id = c.id AND t.strategy_id = s.id
                         ORDER BY t.since DESC, t.id DESC LIMIT 1) last
     WHERE s.id = $1 AND c.deleted_at IS NULL AND c.user_id <> s.user_id
       AND last.rate < coalesce(s.profit_share_rate, 0)
     ORDER BY c.id`,
    [strategyId],
  );
  return rows.map(({ id }) => id);
}
