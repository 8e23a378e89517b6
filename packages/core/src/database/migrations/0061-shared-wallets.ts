import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds wallets that several accounts of one user share, such as those of a unified account at an exchange. */
export class SharedWallets1763700000061 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The id of the first of the accounts that share a wallet, and of that account, too. Null: a wallet of its own.
    // is_unified: whether all trading types at the exchange use one wallet; null if it was not read yet.
    await runner.query(`
      ALTER TABLE exchange_accounts
        ADD COLUMN wallet_id uuid REFERENCES exchange_accounts,
        ADD COLUMN is_unified boolean`);
    await runner.query(`
      CREATE INDEX exchange_accounts_wallet_id ON exchange_accounts (wallet_id) WHERE wallet_id IS NOT NULL`);
    await runner.query(WALLET_ACCOUNTS);
    await runner.query(CURRENT_BALANCES);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}

/**
 * Each of the accounts with the accounts that share its wallet, itself included. `is_repeated`: an account before it sees
 * the same orders at the exchange, and therefore has adopted the same orders that were placed there.
 */
const WALLET_ACCOUNTS = `
  CREATE FUNCTION wallet_accounts(account_ids uuid[])
  RETURNS TABLE (account_id uuid, member_id uuid, is_repeated boolean)
  LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT a.id, a.id, false FROM exchange_accounts a WHERE a.id = ANY (account_ids)
    UNION ALL
    SELECT a.id, other.id, (a.trading_type = 'perpetual') = (other.trading_type = 'perpetual') OR row_number() OVER (
      PARTITION BY a.id, other.trading_type = 'perpetual' ORDER BY other.id) > 1
    FROM exchange_accounts a JOIN exchange_accounts other ON other.wallet_id = a.wallet_id
    WHERE a.id = ANY (account_ids) AND a.wallet_id IS NOT NULL AND other.id <> a.id
  $$`;

/**
 * Free and locked together, by account and asset, with the effects of the fills that the venue's report lacks, also of
 * fills of other accounts with the same wallet. As in migration 30, whose comment explains the undecided reports.
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
            ELSE c.executed_at > b.until OR (c.executed_at = b.at AND b.is_stream AND NOT b.seen ? c.key) END), 0))
    FROM report b
  $$`;
