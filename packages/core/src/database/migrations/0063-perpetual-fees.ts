import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts the fills of all accounts that share a wallet, and the fee of a fill on a perpetual once, also if the stream reports the balance of its instant before the fill. */
export class PerpetualFees1763700000063 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(CURRENT_BALANCES);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}

/**
 * The function of migration 30, with two differences. The fills of all accounts that share the wallet count. On perpetuals, exchanges report the wallet after each fill, with the
 * time of the fill, and some send this report before that of the fill. The fill is then not among those that the stream
 * reported before (`seen`), although the wallet includes it. A later fill of the same instant has a report of its own,
 * so a report of a stream includes the fills of its instant.
 */
const CURRENT_BALANCES = `
  CREATE OR REPLACE FUNCTION current_balances(account_ids uuid[])
  RETURNS TABLE (account_id uuid, asset text, amount numeric)
  LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH account AS MATERIALIZED (
      SELECT a.id, a.balances, a.venue_balances, a.venue_balances_at, a.balances_taken_at,
        (SELECT min((r.report -> 'before' ->> 'at')::timestamptz)
         FROM jsonb_each(a.venue_balances) AS r (asset, report)) AS before_at
      FROM exchange_accounts a WHERE a.id = ANY (account_ids)),
    change AS MATERIALIZED (
      SELECT a.id, leg.asset, leg.amount, f.executed_at, f.created_at,
        p.trading_type = 'perpetual' AS is_perpetual,
        'fill ' || t.exchange_order_id || ' ' || f.exchange_fill_id AS key
      FROM wallet_accounts(account_ids) AS w
      JOIN account a ON a.id = w.account_id
      JOIN fills f ON f.exchange_account_id = w.member_id
        AND f.executed_at >= least(a.venue_balances_at, a.balances_taken_at, a.before_at)
      JOIN trades t ON t.id = f.trade_id AND t.origin <> 'RECONCILIATION'
        AND NOT (w.is_repeated AND t.origin IN ('EXTERNAL', 'LIQUIDATION', 'ADL', 'SETTLEMENT'))
      JOIN trade_pairs p ON p.id = t.trade_pair_id
      CROSS JOIN LATERAL (VALUES
        (CASE WHEN p.trading_type = 'perpetual' THEN NULL ELSE p.base END,
          CASE t.side WHEN 'BUY' THEN f.amount ELSE -f.amount END),
        (CASE WHEN p.trading_type = 'perpetual' THEN NULL ELSE p.quote END,
          CASE t.side WHEN 'BUY' THEN -f.amount * f.price ELSE f.amount * f.price END),
        (f.fee_currency, -f.fee_amount)) AS leg (asset, amount)
      WHERE leg.asset IS NOT NULL),
    held AS (
      SELECT a.id, jsonb_object_keys(a.balances) AS asset FROM account a
      UNION SELECT a.id, jsonb_object_keys(a.venue_balances) FROM account a
      UNION SELECT c.id, c.asset FROM change c),
    last_report AS MATERIALIZED (
      SELECT held.id, held.asset, b.free + b.locked AS amount, b.at, b.until, b.seen, b.is_stream, b.is_legacy,
        CASE WHEN b.is_legacy THEN NULL
          WHEN a.venue_balances ? held.asset THEN a.venue_balances -> held.asset -> 'before'
          ELSE jsonb_build_object('free', 0, 'locked', 0, 'at', b.at, 'source', 'STREAM') END AS before
      FROM held
      JOIN account a ON a.id = held.id
      CROSS JOIN LATERAL venue_balance(a.balances, a.venue_balances, a.venue_balances_at, a.balances_taken_at,
        held.asset) AS b),
    judged AS MATERIALIZED (
      SELECT l.*, l.before IS NOT NULL AND EXISTS (SELECT FROM last_report s
        WHERE s.id = l.id AND s.is_stream AND s.at BETWEEN l.at AND l.until) AS is_undecided
      FROM last_report l),
    report AS (
      SELECT id, asset, amount, at, until, seen, is_stream, is_legacy FROM judged WHERE NOT is_undecided
      UNION ALL
      SELECT id, asset, (before ->> 'free')::numeric + (before ->> 'locked')::numeric,
        (before ->> 'at')::timestamptz, coalesce(before ->> 'until', before ->> 'at')::timestamptz,
        coalesce(before -> 'seen', '[]'), before ->> 'source' = 'STREAM', false
      FROM judged WHERE is_undecided)
    SELECT b.id, b.asset, greatest(0, b.amount + coalesce((
      SELECT sum(c.amount) FROM change c
      WHERE c.id = b.id AND c.asset = b.asset
        AND CASE WHEN b.is_legacy THEN c.executed_at > b.at AND c.created_at > b.at
            ELSE c.executed_at > b.until
              OR (c.executed_at = b.at AND b.is_stream AND NOT c.is_perpetual AND NOT b.seen ? c.key) END), 0))
    FROM report b
  $$`;
