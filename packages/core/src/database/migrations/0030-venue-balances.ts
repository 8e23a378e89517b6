import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Stores each asset's balance with the venue's time, and the venue's time at which it accepted an order.
 *
 * The previous release keeps writing `balances` and `balances_taken_at` alone. A value in `balances` that differs from
 * `venue_balances` was therefore written by it, and counts until the next report of the venue. Its time is
 * `balances_taken_at`, which is the database's.
 */
export class VenueBalances1763700000030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE exchange_accounts ADD COLUMN venue_balances jsonb NOT NULL DEFAULT '{}', ADD COLUMN venue_balances_at timestamptz",
    );
    await runner.query('ALTER TABLE trades ADD COLUMN venue_accepted_at timestamptz');
    await runner.query(VENUE_BALANCE);
    await runner.query(CURRENT_BALANCES);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}

/**
 * The reported balance of one asset. `at` is the venue's time, or the database's if `is_legacy`. A report contains no
 * change after `until`. `seen` are the orders and fills of the millisecond `at` that the report contains.
 */
const VENUE_BALANCE = `
  CREATE FUNCTION venue_balance(balances jsonb, venue_balances jsonb, venue_balances_at timestamptz,
    balances_taken_at timestamptz, asset text)
  RETURNS TABLE (free numeric, locked numeric, at timestamptz, until timestamptz, seen jsonb, is_stream boolean,
    is_legacy boolean)
  LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce((CASE WHEN l.is_legacy THEN l.old ELSE l.reported END ->> 'free')::numeric, 0),
      coalesce((CASE WHEN l.is_legacy THEN l.old ELSE l.reported END ->> 'locked')::numeric, 0),
      CASE WHEN l.is_legacy THEN balances_taken_at
        ELSE coalesce((l.reported ->> 'at')::timestamptz, venue_balances_at) END,
      CASE WHEN l.is_legacy THEN balances_taken_at
        ELSE coalesce((l.reported ->> 'until')::timestamptz, (l.reported ->> 'at')::timestamptz, venue_balances_at) END,
      CASE WHEN l.is_legacy THEN '[]' ELSE coalesce(l.reported -> 'seen', '[]') END,
      NOT l.is_legacy AND coalesce(l.reported ->> 'source', '') = 'STREAM',
      l.is_legacy
    FROM (
      SELECT old, reported, venue_balances_at IS NULL
        OR coalesce((old ->> 'free')::numeric, 0) <> coalesce((reported ->> 'free')::numeric, 0)
        OR coalesce((old ->> 'locked')::numeric, 0) <> coalesce((reported ->> 'locked')::numeric, 0) AS is_legacy
      FROM (SELECT balances -> asset AS old, venue_balances -> asset AS reported) AS stored) AS l
  $$`;

/**
 * Free and locked together, by account and asset, with the effects of the fills that the venue's report lacks.
 *
 * If the stream reported one asset in the instant of another asset's snapshot, the snapshot may contain a fill that the
 * stream's report lacks, or lack one that it contains. The report before the snapshot then counts, with all later fills.
 * A snapshot without the asset lacks the asset's fills of its instant, too.
 */
const CURRENT_BALANCES = `
  CREATE FUNCTION current_balances(account_ids uuid[])
  RETURNS TABLE (account_id uuid, asset text, amount numeric)
  LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH account AS MATERIALIZED (
      SELECT a.id, a.balances, a.venue_balances, a.venue_balances_at, a.balances_taken_at,
        (SELECT min((r.report -> 'before' ->> 'at')::timestamptz)
         FROM jsonb_each(a.venue_balances) AS r (asset, report)) AS before_at
      FROM exchange_accounts a WHERE a.id = ANY (account_ids)),
    change AS MATERIALIZED (
      SELECT f.exchange_account_id AS id, leg.asset, leg.amount, f.executed_at, f.created_at,
        'fill ' || t.exchange_order_id || ' ' || f.exchange_fill_id AS key
      FROM account a
      JOIN fills f ON f.exchange_account_id = a.id
        AND f.executed_at >= least(a.venue_balances_at, a.balances_taken_at, a.before_at)
      JOIN trades t ON t.id = f.trade_id AND t.origin <> 'RECONCILIATION'
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
