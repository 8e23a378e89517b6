import { queryPrepared, type Tx } from '@trading-automation/persistence';
import type { Deactivation, ListedPair } from './pair-changes.rules.js';

/** Loads the pairs of an exchange that are not replaced. */
export function listedPairs(tx: Tx, exchange: string): Promise<ListedPair[]> {
  return queryPrepared<ListedPair>(
    tx,
    `SELECT id, symbol, trading_type AS "tradingType", exchange_symbol AS "exchangeSymbol",
       trim_scale(contract_size)::text AS "contractSize", is_active AS "isActive", inactive_reason AS "inactiveReason"
     FROM trade_pairs WHERE exchange = $1 AND listed_symbol IS NULL ORDER BY id`,
    [exchange],
  );
}

export async function markDelisted(tx: Tx, ids: readonly string[]): Promise<void> {
  await queryPrepared(
    tx,
    `UPDATE trade_pairs SET is_active = false, inactive_reason = 'DELISTED', updated_at = now()
     WHERE id = ANY ($1) AND (is_active OR inactive_reason IS DISTINCT FROM 'DELISTED')`,
    [ids],
  );
}

/** Deactivates pairs for ever, and gives their symbols free. The id makes the symbol that remains unique. */
export async function markReplaced(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await queryPrepared(
    tx,
    `UPDATE trade_pairs SET is_active = false, inactive_reason = 'REPLACED', listed_symbol = symbol,
       symbol = symbol || ' ' || id, updated_at = now()
     WHERE id = ANY ($1)`,
    [ids],
  );
}

/** Stores which pair has the symbol of each replaced pair now. */
export async function linkReplacements(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await queryPrepared(
    tx,
    `UPDATE trade_pairs p SET replaced_by = n.id FROM trade_pairs n
     WHERE p.id = ANY ($1) AND n.exchange = p.exchange AND n.trading_type = p.trading_type AND n.symbol = p.listed_symbol`,
    [ids],
  );
}

const HOLDERS = `
  SELECT l.trade_pair_id, l.user_id FROM lots l WHERE l.trade_pair_id = ANY ($1) AND l.open_amount > 0
  UNION
  SELECT t.trade_pair_id, t.user_id FROM trades t
  WHERE t.trade_pair_id = ANY ($1) AND t.status IN ('PENDING', 'PARTIALLY_FILLED')
  UNION
  SELECT s.trade_pair_id, s.user_id FROM positions s WHERE s.trade_pair_id = ANY ($1) AND s.amount > 0`;

/** A copier names pairs by symbol, and trades the one of its account's exchange and trading type. */
const NAMERS = `
  SELECT p.id, s.user_id FROM trade_pairs p JOIN strategies s ON p.id = ANY (s.trade_pair_ids)
  WHERE p.id = ANY ($1) AND s.deleted_at IS NULL AND s.status = 'ACTIVE'
  UNION
  SELECT p.id, c.user_id FROM trade_pairs p JOIN strategies s ON p.id = ANY (s.trade_pair_ids)
    JOIN copiers c ON c.strategy_id = s.id
  WHERE p.id = ANY ($1) AND s.deleted_at IS NULL AND s.status = 'ACTIVE' AND c.deleted_at IS NULL
  UNION
  SELECT p.id, c.user_id FROM trade_pairs p
    JOIN copiers c ON coalesce(p.listed_symbol, p.symbol) = ANY (c.allowed_pairs)
    JOIN exchange_accounts a ON a.id = c.exchange_account_id
  WHERE p.id = ANY ($1) AND c.deleted_at IS NULL AND a.deleted_at IS NULL
    AND a.exchange = p.exchange AND a.trading_type = p.trading_type`;

export interface AffectedUser {
  readonly pairId: string;
  readonly userId: string;
}

const AFFECTED = `
  WITH holders (pair_id, user_id) AS (${HOLDERS}), namers (pair_id, user_id) AS (${NAMERS})
  SELECT u.pair_id AS "pairId", u.user_id AS "userId"
  FROM unnest($1::uuid[], $2::text[]) AS d (pair_id, recipients)
  JOIN (SELECT pair_id, user_id, true AS is_holder FROM holders
    UNION ALL SELECT n.pair_id, n.user_id, false FROM namers n
      WHERE NOT EXISTS (SELECT FROM holders h WHERE (h.pair_id, h.user_id) = (n.pair_id, n.user_id))) u
    ON u.pair_id = d.pair_id AND CASE WHEN u.is_holder THEN d.recipients <> 'NAMERS_WITHOUT_HOLDINGS'
      ELSE d.recipients <> 'HOLDERS' END
  ORDER BY 1, 2`;

/** Returns the users that are notified of each deactivation, once for each pair. */
export async function affectedUsers(tx: Tx, deactivations: readonly Deactivation[]): Promise<AffectedUser[]> {
  return queryPrepared<AffectedUser>(tx, AFFECTED, [
    deactivations.map(({ pairId }) => pairId),
    deactivations.map(({ recipients }) => recipients),
  ]);
}
