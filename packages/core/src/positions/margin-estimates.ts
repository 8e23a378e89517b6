/**
 * Estimates margins between two readings, from the mark prices of markets, which one public call returns for all accounts.
 *
 * A reading of an account costs calls of its own, so it is rare while the margin is ample. The estimate moves the
 * open result by the amount × the change of the mark price, and the maintenance margin with the notional. It misses
 * funding and transfers until the next reading. A margin call is judged by readings alone.
 */
import type { Decimal } from '@trading-automation/contracts';
import { inTransaction, queryPrepared } from '@trading-automation/persistence';
import { lockUnlockedAccounts } from '../exchange-accounts/index.js';
import type { Platform } from '../platform/index.js';

/** Below this ratio of margin balance to maintenance margin, the margin is read each time. */
const AMPLE_RATIO = '2';
/** How old a reading may be while the margin is ample. */
const READING_AGE_MAX_MS = 900_000;
const MOVED_AT_ONCE = 100;

/** The accounts with open positions at one exchange, and the symbols of these positions. */
export interface OpenMarkets {
  readonly exchange: string;
  readonly symbols: readonly string[];
  readonly accountIds: readonly string[];
}

export class MarginEstimates {
  constructor(private readonly platform: Platform) {}

  /** Returns the open positions of these accounts, by exchange. */
  async openMarkets(accountIds: readonly string[]): Promise<readonly OpenMarkets[]> {
    return queryPrepared<OpenMarkets & Record<string, unknown>>(
      this.platform.database.manager,
      `SELECT a.exchange, array_agg(DISTINCT p.symbol ORDER BY p.symbol) AS symbols,
         array_agg(DISTINCT a.id)::text[] AS "accountIds"
       FROM positions p JOIN exchange_accounts a ON a.id = p.exchange_account_id
       WHERE p.exchange_account_id = ANY ($1) AND p.amount > 0 AND p.is_supported AND a.is_active GROUP BY 1`,
      [accountIds],
    );
  }

  /**
   * Stores the mark prices of their exchange in these accounts, and moves their margins. Skips accounts that are locked.
   * Few are locked at a time, because orders of a locked account wait.
   */
  async move(accountIds: readonly string[], markPrices: Readonly<Record<string, Decimal>>): Promise<void> {
    const [symbols, prices] = [Object.keys(markPrices), Object.values(markPrices)];
    for (let i = 0; i < accountIds.length; i += MOVED_AT_ONCE)
      await inTransaction(this.platform.database, async (tx) => {
        const locked = await lockUnlockedAccounts(tx, accountIds.slice(i, i + MOVED_AT_ONCE));
        await queryPrepared(tx, MOVE, [[...locked], symbols, prices]);
      });
  }

  /**
   * Returns those of the accounts whose positions and margin have to be read now: the margin may be low, the last reading is
   * old or older than a change of a position, or an estimate is impossible. An account that is not active cannot be read.
   *
   * @param moved the exchanges whose mark prices are stored
   * @param unpriced the markets without a mark price, as `<exchange> <symbol>`
   */
  async due(
    accountIds: readonly string[],
    moved: readonly string[],
    unpriced: readonly string[] = [],
  ): Promise<readonly string[]> {
    const rows = await queryPrepared<{ id: string }>(this.platform.database.manager, DUE, [
      accountIds,
      moved,
      READING_AGE_MAX_MS,
      AMPLE_RATIO,
      unpriced,
    ]);
    return rows.map(({ id }) => id);
  }
}

const MOVE = `
  WITH moved AS MATERIALIZED (
    SELECT p.id, p.exchange_account_id AS account_id, mark.price,
      CASE p.side WHEN 'LONG' THEN 1 ELSE -1 END * p.amount * (mark.price - p.mark_price) AS change,
      p.amount * p.mark_price AS notional_before, p.amount * mark.price AS notional
    FROM positions p LEFT JOIN unnest($2::text[], $3::numeric[]) AS given (symbol, price) ON given.symbol = p.symbol
    CROSS JOIN LATERAL (SELECT coalesce(given.price, p.mark_price) AS price) AS mark
    WHERE p.exchange_account_id = ANY ($1) AND p.amount > 0 AND p.is_supported AND p.mark_price > 0 AND mark.price > 0),
  written AS (
    UPDATE positions p SET mark_price = moved.price, unrealized_pnl = p.unrealized_pnl + moved.change,
      isolated_margin = p.isolated_margin + moved.change,
      maintenance_margin = p.maintenance_margin * moved.notional / moved.notional_before
    FROM moved WHERE p.id = moved.id AND moved.price <> p.mark_price)
  UPDATE account_margins m SET equity = m.equity + of_account.change, available = m.available + of_account.change,
    maintenance_margin = m.maintenance_margin * of_account.notional / of_account.notional_before
  FROM (
    SELECT account_id, sum(change) AS change, sum(notional) AS notional, sum(notional_before) AS notional_before
    FROM moved GROUP BY account_id) AS of_account
  WHERE m.exchange_account_id = of_account.account_id
    AND (of_account.change <> 0 OR of_account.notional <> of_account.notional_before)`;

const DUE = `
  SELECT DISTINCT p.exchange_account_id AS id
  FROM positions p JOIN exchange_accounts a ON a.id = p.exchange_account_id
  LEFT JOIN account_margins m ON m.exchange_account_id = p.exchange_account_id
  WHERE p.exchange_account_id = ANY ($1) AND p.amount > 0 AND a.is_active AND (
    m.exchange_account_id IS NULL OR a.exchange <> ALL ($2) OR a.exchange || ' ' || p.symbol = ANY ($5) OR p.mark_price IS NULL OR NOT p.is_supported
    OR m.read_at < clock_timestamp() - $3 * interval '1 millisecond' OR p.reported_at > m.read_at
    OR m.is_margin_called OR p.is_margin_called OR m.equity < $4::numeric * m.maintenance_margin
    OR p.margin_mode = 'ISOLATED' AND p.isolated_margin < $4::numeric * p.maintenance_margin)
  ORDER BY 1`;
