/** Stores up to which signal each strategy is planned, and reads what planning a signal needs from exchanges. */
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import type { Signal } from '../../strategies/index.js';
import { BALANCES_KNOWN_AT } from '../../trade-pairs/index.js';
import { choosePairs, type OfferedPair, type PairChoice, pairRequestOf } from '../offered-pairs.queries.js';

const STRATEGIES_MAX = 100;
/** A user can have many strategies, so that their signals must not fill a run. */
export const STRATEGIES_PER_USER_MAX = 3;

/**
 * Returns up to 100 strategies with unplanned signals, at most three of each user: those with unplanned exits first, then
 * the users' strategies in turns, then those whose unplanned signals have waited longest.
 */
export async function strategiesWithUnplannedSignals(tx: Tx): Promise<string[]> {
  const rows = await queryPrepared<{ strategy_id: string }>(
    tx,
    `SELECT strategy_id FROM (
       SELECT s.strategy_id, waiting.has_exit, waiting.since, row_number() OVER (
         PARTITION BY o.user_id ORDER BY waiting.has_exit DESC, waiting.since, s.strategy_id) AS turn
       FROM strategy_sequences s JOIN strategies o ON o.id = s.strategy_id
       LEFT JOIN copy_progress p ON p.strategy_id = s.strategy_id
       CROSS JOIN LATERAL (
         SELECT min(g.emitted_at) AS since, bool_or(g.kind IN ('REDUCE', 'CLOSE')) AS has_exit FROM signals g
         WHERE g.strategy_id = s.strategy_id AND g.sequence > coalesce(p.planned_sequence, 0)) waiting
       WHERE s.last_sequence > coalesce(p.planned_sequence, 0)) strategies
     WHERE turn <= $2 ORDER BY has_exit DESC, turn, since LIMIT $1`,
    [STRATEGIES_MAX, STRATEGIES_PER_USER_MAX],
  );
  return rows.map(({ strategy_id }) => strategy_id);
}

/** Returns the sequence up to which all signals are planned; 0 if none is. */
export async function lastPlannedSequence(tx: Tx, strategyId: string): Promise<number> {
  const [row] = await queryPrepared<{ planned_sequence: string }>(
    tx,
    'SELECT planned_sequence FROM copy_progress WHERE strategy_id = $1',
    [strategyId],
  );
  return Number(row?.planned_sequence ?? 0);
}

export interface DueCopier {
  readonly id: string;
  readonly accountId: string;
}

/**
 * Returns up to `limit` copiers without a decision on the signal, in an order that differs for each signal. A copier
 * that first followed the strategy after the signal gets no decision on it.
 */
export function dueCopiers(
  tx: Tx,
  { id, strategyId, sequence }: Signal,
  limit: number,
): Promise<DueCopier[]> {
  return queryPrepared<DueCopier>(
    tx,
    `SELECT c.id, c.exchange_account_id AS "accountId" FROM copiers c
     WHERE c.strategy_id = $1 AND c.deleted_at IS NULL AND c.followed_sequence < $2
       AND NOT EXISTS (SELECT FROM decisions d WHERE d.signal_id = $3 AND d.copier_id = c.id)
     ORDER BY md5(c.id::text || $3::text) LIMIT $4`,
    [strategyId, sequence, id, limit],
  );
}

/**
 * Filters the locked copiers: keeps those that still follow the strategy and lack a decision, in input order. While the
 * transaction waited for the locks, a copier may have been linked to another strategy.
 */
export async function filterUndecided(
  tx: Tx,
  { id, strategyId, sequence }: Signal,
  copierIds: readonly string[],
): Promise<string[]> {
  const rows = await queryPrepared<{ id: string }>(
    tx,
    `SELECT c.id FROM copiers c
     WHERE c.id = ANY ($4) AND c.strategy_id = $1 AND c.deleted_at IS NULL AND c.followed_sequence < $2
       AND NOT EXISTS (SELECT FROM decisions d WHERE d.signal_id = $3 AND d.copier_id = c.id)`,
    [strategyId, sequence, id, copierIds],
  );
  const undecided = new Set(rows.map((row) => row.id));
  return copierIds.filter((copierId) => undecided.has(copierId));
}

/**
 * Marks the signal as planned, because every copier has a decision on it. If no copier follows the strategy, marks all
 * its signals as planned. This is safe: a copier's start locks the strategy's last sequence until the transaction ends,
 * and the copier follows only later signals.
 */
export async function finishSignal(tx: Tx, { strategyId, sequence }: Signal): Promise<void> {
  const [last] = await queryPrepared<{ last_sequence: string }>(
    tx,
    'SELECT last_sequence FROM strategy_sequences WHERE strategy_id = $1',
    [strategyId],
  );
  await queryPrepared(
    tx,
    `INSERT INTO copy_progress AS p (strategy_id, planned_sequence)
     SELECT $1, CASE WHEN EXISTS (SELECT FROM copiers WHERE strategy_id = $1 AND deleted_at IS NULL
                                  AND followed_sequence IS NOT NULL) THEN $2::bigint ELSE $3::bigint END
     ON CONFLICT (strategy_id) DO UPDATE
       SET planned_sequence = greatest(p.planned_sequence, excluded.planned_sequence)`,
    [strategyId, sequence, last!.last_sequence],
  );
}

/**
 * Selects whether the copier `c` can still copy an entry of a signal, whose instant and lot are parameters. Nothing is
 * read from exchanges for entries that are too old. Otherwise a backlog after an outage would grow older while each of
 * its signals waits for exchanges.
 */
const isYoungEnough = (
  signalAt: string,
  lotTradeId: string,
  symbol: string,
) => `clock_timestamp() <= ${signalAt}::timestamptz
  + interval '1 millisecond' * greatest(
    coalesce((c.overrides #>> ARRAY[${symbol}::text, 'limits', 'max_signal_age_ms'])::int, c.max_signal_age_ms),
    coalesce((SELECT (l.terms->>'maxSignalAgeMs')::int
      FROM copied_lots l WHERE l.copier_id = c.id AND l.lot_trade_id = ${lotTradeId}), 0))`;

/** Selects whether the copier `c` sizes copies of a pair by the equity of its account. */
const sizesByEquity = (symbol: string) => `CASE WHEN c.overrides -> ${symbol}::text ? 'sizing'
  THEN c.overrides #>> ARRAY[${symbol}::text, 'sizing', 'mode'] = 'EQUITY_RATIO'
    AND c.overrides #>> ARRAY[${symbol}::text, 'sizing', 'capital'] IS NULL
  ELSE c.sizing_mode = 'EQUITY_RATIO' AND c.sizing_capital IS NULL END`;

/** Selects whether the copier `c` has the limit on a pair. */
const hasLimit = (limit: 'max_leverage' | 'max_drawdown_percent', symbol: string) =>
  `coalesce(c.overrides #>> ARRAY[${symbol}::text, 'limits', '${limit}'], c.${limit}::text) IS NOT NULL`;

/**
 * Selects whether an entry of the copier `c` on a pair needs the equity of its account: to size it, or for a limit. The terms
 * of a copied lot stay as they were when it was opened.
 */
const needsEquity = (lotTradeId: string, symbol: string) => `(${sizesByEquity(symbol)}
  OR ${hasLimit('max_leverage', symbol)} OR ${hasLimit('max_drawdown_percent', symbol)}
  OR EXISTS (SELECT FROM copied_lots l WHERE l.copier_id = c.id AND l.lot_trade_id = ${lotTradeId}
    AND l.terms ->> 'maxLeverage' IS NOT NULL))`;

/**
 * Returns the accounts of copiers that need their equity, if their balances were last known more than `ageMaxMs`
 * milliseconds ago, or never.
 */
export async function staleEquityAccounts(
  tx: Tx,
  { id, strategyId, sequence, signalAt, lotTradeId, symbol }: Signal,
  ageMaxMs: number,
): Promise<string[]> {
  const rows = await queryPrepared<{ id: string }>(
    tx,
    `SELECT DISTINCT a.id FROM copiers c JOIN exchange_accounts a ON a.id = c.exchange_account_id
     WHERE c.strategy_id = $1 AND c.deleted_at IS NULL AND c.status = 'ACTIVE' AND c.followed_sequence < $2
       AND ${needsEquity('$6', '$7')} AND a.is_active
       AND coalesce(${BALANCES_KNOWN_AT}, '-infinity') < clock_timestamp() - $4 * interval '1 millisecond'
       AND ${isYoungEnough('$5', '$6', '$7')}
       AND NOT EXISTS (SELECT FROM decisions d WHERE d.signal_id = $3 AND d.copier_id = c.id)`,
    [strategyId, sequence, id, ageMaxMs, signalAt, lotTradeId, symbol],
  );
  return rows.map(({ id: accountId }) => accountId);
}

/** Returns the pairs, each once, of the active copiers that have no decision on the signal and can still copy it. */
export async function pairsOfCopiers(tx: Tx, signal: Signal): Promise<OfferedPair[]> {
  const { id, strategyId, sequence, signalAt, lotTradeId, symbol, tradingType } = signal;
  const choices = await queryPrepared<PairChoice>(
    tx,
    `SELECT DISTINCT a.exchange, a.trading_type AS "accountTradingType", c.quote_aliases AS "quoteAliases",
       c.symbol_map ->> $6::text AS "mappedSymbol", l.copier_id IS NOT NULL AS "hasLot", l.symbol AS "lotSymbol"
     FROM copiers c JOIN exchange_accounts a ON a.id = c.exchange_account_id
     LEFT JOIN copied_lots l ON l.copier_id = c.id AND l.lot_trade_id = $5
     WHERE c.strategy_id = $1 AND c.deleted_at IS NULL AND c.status = 'ACTIVE' AND c.followed_sequence < $2
       AND NOT EXISTS (SELECT FROM decisions d WHERE d.signal_id = $3 AND d.copier_id = c.id)
       AND ${isYoungEnough('$4', '$5', '$6')}`,
    [strategyId, sequence, id, signalAt, lotTradeId, symbol],
  );
  const requests = choices.map((choice) => pairRequestOf(choice, signal));
  const chosen = await choosePairs(tx, tradingType, requests);
  return [...new Set(chosen.filter((pair) => pair !== null))];
}
