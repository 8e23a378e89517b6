import type { Decimal } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { openPositionsOfWallets } from '../exchange-accounts/index.js';
import { IS_OURS } from './origins.js';

/** Amounts by account, then by asset. */
export type FreeBalances = ReadonlyMap<string, ReadonlyMap<string, Decimal>>;

type FreeBalance = { readonly id: string; readonly asset: string; readonly free: Decimal };

/**
 * Returns the free balance of each asset of each account, never below zero. Accounts that share a wallet have the same free
 * balance. The caller must hold the locks of the wallets, so that no other transaction reserves concurrently.
 */
export async function loadFreeBalances(
  tx: Tx,
  accountIds: readonly string[],
  assets: readonly string[],
): Promise<FreeBalances> {
  const all = await loadUncoveredBalances(tx, accountIds, assets);
  const free = (amount: Decimal): Decimal => (amount.startsWith('-') ? '0' : amount);
  return new Map(
    [...all].map(([id, byAsset]) => [
      id,
      new Map([...byAsset].map(([asset, amount]) => [asset, free(amount)])),
    ]),
  );
}

/** Like `loadFreeBalances`, but below zero by what is missing, for example if a loss leaves less than positions need as margin. */
export async function loadUncoveredBalances(
  tx: Tx,
  accountIds: readonly string[],
  assets: readonly string[],
): Promise<FreeBalances> {
  const [account, ...otherAccounts] = accountIds;
  const [asset, ...otherAssets] = assets;
  const isOne = otherAccounts.length === 0 && otherAssets.length === 0;
  const rows = isOne
    ? await queryPrepared<FreeBalance>(tx, FREE_OF_ONE, [account, asset])
    : await queryPrepared<FreeBalance>(tx, FREE, [accountIds, assets]);
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

/** Whether the last report of the position of the order `t` certainly contains the fill \`f\`, so that its margin counts there. */
const IS_IN_POSITION = `EXISTS (
  SELECT FROM positions q WHERE q.exchange_account_id = t.exchange_account_id AND q.trade_pair_id = t.trade_pair_id
    AND q.reported_at >= f.executed_at)`;

/** Whether the margin that was moved to the open position \`p\` is known. It contains the position's result. */
const IS_ISOLATED = "(p.margin_mode = 'ISOLATED' AND p.isolated_margin IS NOT NULL)";

/**
 * The initial margin of an open position \`p\`; if it is isolated, the margin that was moved to it. A leverage that is not
 * known counts as the highest, so that the margin is not overstated.
 */
const POSITION_MARGIN = `CASE WHEN ${IS_ISOLATED} THEN p.isolated_margin - worth.result
  ELSE coalesce(p.amount * worth.price / coalesce(p.leverage, p.max_leverage), 0) END`;

/** What the wallet gains or loses by an open position \`p\`. */
const POSITION_RESULT = `CASE WHEN ${IS_ISOLATED} THEN 0 ELSE worth.result END`;

/** What is left of the margin of the order \`t\`, which a perpetual needs until it fills. */
const ORDER_MARGIN = 't.reserved_amount * greatest(0, 1 - t.filled_amount / t.amount)';

/** Whether a leg is the margin of a fill of a perpetual whose position is not reported yet. */
const IS_FILL_MARGIN = `(t.trading_type = 'perpetual' AND leg.kind = 'spent' AND NOT ${IS_IN_POSITION})`;

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
 * 3. An order on a perpetual takes the margin of what it opens, until the exchange reports the position. A position takes its
 *    initial margin at the last mark price less its open result, as the exchange judges orders; a profit is not for spot. Here
 *    the free balance may be overstated: by what the mark price moved since, and between a report of the wallet and one of
 *    its position.
 *    What the exchange itself reports as margin counts if it is more, as it contains positions and orders that are not known here;
 *    orders after that report come on top. What the reported balance lacks of the margin already is not subtracted again.
 * 4. Orders and fills of all accounts that share the wallet count, each once.
 * 5. A write-off records an amount that the report already lacks, so it changes nothing.
 *
 * @param accounts SQL: an array of the ids of accounts
 * @param assets SQL: a relation with the column `asset`
 */
const freeOf = (accounts: string, assets: string) => `
  WITH requested AS MATERIALIZED (
    SELECT a.id, a.trading_type, n.asset, b.free, b.at, b.until, b.seen, b.is_legacy,
      CASE WHEN b.is_legacy THEN NULL ELSE (a.venue_balances -> n.asset ->> 'margin')::numeric END AS margin,
      CASE WHEN b.is_legacy THEN NULL ELSE (a.venue_balances -> n.asset ->> 'marginDeducted')::numeric END AS deducted
    FROM exchange_accounts a CROSS JOIN ${assets}
    CROSS JOIN LATERAL venue_balance(a.balances, a.venue_balances, a.venue_balances_at, a.balances_taken_at,
      n.asset) AS b
    WHERE a.id = ANY (${accounts})),
  member AS MATERIALIZED (SELECT account_id AS id, member_id, is_repeated FROM wallet_accounts(${accounts})),
  reserved AS (
    SELECT b.id, b.asset, sum(CASE
      WHEN t.trading_type = 'perpetual' OR ${HAS_ORDER} THEN 0
      WHEN t.origin <> 'EXTERNAL'
        THEN greatest(t.reserved_amount, CASE t.side WHEN 'BUY' THEN t.cost ELSE t.filled_amount END)
      WHEN t.side = 'SELL' THEN t.amount
      ELSE greatest(t.cost, t.amount * coalesce(t.price, 0)) END) AS amount,
      sum(CASE WHEN t.trading_type = 'perpetual' THEN ${ORDER_MARGIN} ELSE 0 END) AS margin,
      sum(CASE WHEN t.trading_type = 'perpetual' AND NOT ${HAS_ORDER} THEN ${ORDER_MARGIN} ELSE 0 END) AS new_margin
    FROM member JOIN trades t ON t.exchange_account_id = member.member_id
    JOIN requested b ON b.id = member.id AND b.asset = t.reserved_asset
    WHERE ${IS_OPEN} AND NOT ${IS_REPEATED}
    GROUP BY 1, 2),
  held AS (
    SELECT b.id, b.asset, sum(${POSITION_MARGIN}) AS margin, sum(${POSITION_RESULT}) AS result
    FROM (${openPositionsOfWallets('(SELECT id AS account_id, member_id FROM member)')}) AS p
    JOIN trade_pairs s ON s.id = p.trade_pair_id
    JOIN requested b ON b.id = p.account_id AND b.asset = coalesce(s.settle, s.quote)
    CROSS JOIN LATERAL (SELECT coalesce(p.mark_price, s.last_price, p.entry_price) AS price) AS mark
    CROSS JOIN LATERAL (SELECT mark.price, coalesce(p.unrealized_pnl,
      CASE p.side WHEN 'LONG' THEN 1 ELSE -1 END * p.amount * (mark.price - p.entry_price), 0) AS result) AS worth
    GROUP BY 1, 2),
  changed AS (
    SELECT b.id, b.asset, sum(CASE leg.kind
      WHEN 'received' THEN CASE WHEN ${LACKS_FILL} THEN leg.amount ELSE 0 END
      WHEN 'fee' THEN CASE WHEN ${HAS_FILL} THEN 0 ELSE leg.amount END
      ELSE CASE WHEN t.trading_type = 'perpetual' OR ${IS_OPEN} OR ${HAS_FILL} OR (${HAS_ORDER} AND t.type IN ('LIMIT', 'STOP_LIMIT')) THEN 0
        ELSE leg.amount END END) AS amount,
      sum(CASE WHEN ${IS_FILL_MARGIN} THEN -leg.amount ELSE 0 END) AS margin,
      sum(CASE WHEN ${IS_FILL_MARGIN} AND NOT ${HAS_ORDER} THEN -leg.amount ELSE 0 END) AS new_margin
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
    trim_scale(requested.free - coalesce(r.amount, 0) + coalesce(c.amount, 0)
      - greatest(CASE requested.trading_type WHEN 'perpetual' THEN least(0, used.amount) ELSE 0 END,
        used.amount - coalesce(requested.deducted, 0),
        CASE WHEN requested.deducted > 0 THEN coalesce(r.new_margin, 0) + coalesce(c.new_margin, 0) END))::text AS free
  FROM requested
  LEFT JOIN reserved r ON r.id = requested.id AND r.asset = requested.asset
  LEFT JOIN held h ON h.id = requested.id AND h.asset = requested.asset
  LEFT JOIN changed c ON c.id = requested.id AND c.asset = requested.asset
  CROSS JOIN LATERAL (SELECT greatest(
    coalesce(r.margin, 0) + coalesce(h.margin, 0) + coalesce(c.margin, 0),
    coalesce(requested.margin, 0) + coalesce(r.new_margin, 0) + coalesce(c.new_margin, 0))
    - coalesce(h.result, 0) AS amount) AS used`;

const FREE = freeOf('$1::uuid[]', 'unnest($2::text[]) AS n (asset)');

/** With single values, Postgres knows the number of rows without the values, so that it plans the statement only once. */
const FREE_OF_ONE = freeOf('ARRAY[$1::uuid]', '(VALUES ($2::text)) AS n (asset)');
