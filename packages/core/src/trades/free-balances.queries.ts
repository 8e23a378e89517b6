import type { Decimal } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { IS_OURS } from './origins.js';

/** Free amounts by account, then by asset. */
export type FreeBalances = ReadonlyMap<string, ReadonlyMap<string, Decimal>>;

/**
 * Returns the free balance of each asset of each account, never below zero. Accounts that share a wallet have the same free
 * balance. The caller must hold the locks of the wallets, so that no other transaction reserves concurrently.
 */
export async function loadFreeBalances(
  tx: Tx,
  accountIds: readonly string[],
  assets: readonly string[],
): Promise<FreeBalances> {
  const rows = await queryPrepared<{ id: string; asset: string; free: Decimal }>(tx, FREE, [
    accountIds,
    assets,
  ]);
  const free = new Map<string, Map<string, Decimal>>();
  for (const row of rows) {
    const freeByAsset = free.get(row.id) ?? new Map<string, Decimal>();
    freeByAsset.set(row.asset, row.free);
    free.set(row.id, freeByAsset);
  }
  return free;
}

/**
 * Returns those of the accounts that have sent a sale of this asset whose acceptance is unknown. The balances may
 * contain such a sale already, so the free balance may be understated.
 */
export async function accountsWithUnconfirmedSales(
  tx: Tx,
  accountIds: readonly string[],
  asset: string,
): Promise<ReadonlySet<string>> {
  const rows = await queryPrepared<{ id: string }>(tx, UNCONFIRMED_SALES, [accountIds, asset]);
  return new Set(rows.map(({ id }) => id));
}

/** The keys of an order and of a fill in a stream's report; see `BalanceUpdate.seen`. */
const ORDER_KEY = "'order ' || t.exchange_order_id";
const FILL_KEY = "'fill ' || t.exchange_order_id || ' ' || f.exchange_fill_id";

/** How long after its acknowledgement an order of the previous release counts as accepted, at the latest. */
const ACCEPTED_WITHIN = "interval '10 seconds'";

/**
 * Whether the report \`b\` certainly accounts for the order \`t\`: the venue accepted the order before the report. A market
 * order locks nothing, so an order of the same millisecond must be a limit order that the stream reported first.
 */
const HAS_ORDER = `coalesce(CASE
  WHEN b.is_legacy THEN t.acknowledged_at < b.at
  WHEN t.venue_accepted_at IS NULL THEN t.acknowledged_at + ${ACCEPTED_WITHIN} < b.at
  ELSE t.venue_accepted_at < b.at
    OR (t.venue_accepted_at = b.at AND t.type IN ('LIMIT', 'STOP_LIMIT') AND b.seen ? (${ORDER_KEY})) END, false)`;

/** Whether the report \`b\` certainly contains the fill \`f\`. */
const HAS_FILL = `CASE WHEN b.is_legacy THEN f.created_at < b.at
  ELSE f.executed_at < b.at OR (f.executed_at = b.at AND coalesce(b.seen ? (${FILL_KEY}), false)) END`;

/** Whether the report \`b\` certainly lacks the fill \`f\`. */
const LACKS_FILL = `CASE WHEN b.is_legacy THEN f.created_at >= b.at AND f.executed_at >= b.at
  ELSE f.executed_at > b.until END`;

const IS_OPEN = "t.status IN ('PENDING', 'PARTIALLY_FILLED')";

/** Whether another account of the wallet, which counts already, has adopted the order `t`, too. */
const IS_REPEATED = `(member.is_repeated AND NOT ${IS_OURS('t')})`;

const UNCONFIRMED_SALES = `
  SELECT DISTINCT w.account_id AS id FROM wallet_accounts($1) AS w JOIN trades t ON t.exchange_account_id = w.member_id
  WHERE t.reserved_asset = $2 AND t.side = 'SELL' AND ${IS_OPEN}
    AND t.submitted_at IS NOT NULL AND t.venue_accepted_at IS NULL`;

/**
 * The venue's last report of each asset, less what later orders take, plus the proceeds of later fills.
 *
 * 1. What an order takes counts unless the report certainly accounts for it; proceeds count only if the report certainly
 *    lacks them. Between the two, within one millisecond of the venue, the free balance is understated until the next
 *    report. It is never overstated.
 * 2. An open order takes its reservation, or more if it filled at a worse price. An external order takes what it can
 *    spend. An order that ended takes what its fills spent.
 * 3. An order on a perpetual takes the margin of what it opens and receives nothing: what a fill releases counts with the
 *    next report.
 * 4. Orders and fills of all accounts that share the wallet count, each once.
 * 5. A write-off records an amount that the report already lacks, so it changes nothing.
 */
const FREE = `
  WITH requested AS MATERIALIZED (
    SELECT a.id, n.asset, b.free, b.at, b.until, b.seen, b.is_legacy
    FROM exchange_accounts a CROSS JOIN unnest($2::text[]) AS n (asset)
    CROSS JOIN LATERAL venue_balance(a.balances, a.venue_balances, a.venue_balances_at, a.balances_taken_at,
      n.asset) AS b
    WHERE a.id = ANY ($1)),
  member AS MATERIALIZED (SELECT account_id AS id, member_id, is_repeated FROM wallet_accounts($1)),
  reserved AS (
    SELECT b.id, b.asset, sum(CASE
      WHEN t.trading_type = 'perpetual' THEN t.reserved_amount
      WHEN t.origin <> 'EXTERNAL'
        THEN greatest(t.reserved_amount, CASE t.side WHEN 'BUY' THEN t.cost ELSE t.filled_amount END)
      WHEN t.side = 'SELL' THEN t.amount
      ELSE greatest(t.cost, t.amount * coalesce(t.price, 0)) END) AS amount
    FROM member JOIN trades t ON t.exchange_account_id = member.member_id
    JOIN requested b ON b.id = member.id AND b.asset = t.reserved_asset
    WHERE ${IS_OPEN} AND NOT ${HAS_ORDER} AND NOT ${IS_REPEATED}
    GROUP BY 1, 2),
  changed AS (
    SELECT b.id, b.asset, sum(CASE leg.kind
      WHEN 'received' THEN CASE WHEN ${LACKS_FILL} THEN leg.amount ELSE 0 END
      WHEN 'fee' THEN CASE WHEN ${HAS_FILL} THEN 0 ELSE leg.amount END
      ELSE CASE WHEN ${IS_OPEN} OR ${HAS_FILL} OR (${HAS_ORDER} AND t.type IN ('LIMIT', 'STOP_LIMIT')) THEN 0
        ELSE leg.amount END END) AS amount
    FROM requested b
    JOIN member ON member.id = b.id
    JOIN fills f ON f.exchange_account_id = member.member_id
      AND f.executed_at >= b.at - CASE WHEN b.is_legacy THEN interval '1 minute' ELSE interval '0' END
    JOIN trades t ON t.id = f.trade_id AND t.origin <> 'RECONCILIATION' AND NOT ${IS_REPEATED}
    JOIN trade_pairs p ON p.id = t.trade_pair_id
    CROSS JOIN LATERAL (
      SELECT CASE WHEN t.trading_type = 'perpetual' THEN NULL WHEN t.side = 'BUY' THEN p.base ELSE p.quote END AS received,
        CASE WHEN t.trading_type = 'perpetual' THEN t.reserved_asset WHEN t.side = 'BUY' THEN p.quote ELSE p.base END AS spent,
        CASE t.side WHEN 'BUY' THEN f.amount ELSE f.amount * f.price END AS received_amount,
        CASE WHEN t.trading_type = 'perpetual' THEN t.reserved_amount * f.amount / t.amount
          WHEN t.side = 'BUY' THEN f.amount * f.price ELSE f.amount END AS spent_amount) side
    CROSS JOIN LATERAL (VALUES
      ('received', side.received,
        side.received_amount - CASE WHEN f.fee_currency = side.received THEN f.fee_amount ELSE 0 END),
      ('spent', side.spent, -side.spent_amount),
      ('fee', CASE WHEN f.fee_currency IS DISTINCT FROM side.received THEN f.fee_currency END, -f.fee_amount)) AS
      leg (kind, asset, amount)
    WHERE leg.asset = b.asset
    GROUP BY 1, 2)
  SELECT requested.id, requested.asset,
    trim_scale(greatest(0, requested.free - coalesce(r.amount, 0) + coalesce(c.amount, 0)))::text AS free
  FROM requested
  LEFT JOIN reserved r ON r.id = requested.id AND r.asset = requested.asset
  LEFT JOIN changed c ON c.id = requested.id AND c.asset = requested.asset`;
