/** Reads our view of an account, which is compared with its exchange. */
import type { Decimal } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { SIGNED_LOTS } from './exposure.queries.js';
import { connectionsOf } from './lots/connections.queries.js';
import { IS_LOT_OF_OURS, IS_OURS } from './origins.js';
import {
  type ExpectedHolding,
  fillKey,
  type KnownTrade,
  type NetPosition,
  type Shortfalls,
} from './reconcile.rules.js';

/** How long before the last comparison the fills of the next one begin. Covers clock differences and late fills. */
const OVERLAP_MS = 60_000;
/** How long an asset must be missing before it is written off. */
export const MISSING_FOR_MS = 20_000;
/**
 * For this number of days after a pair's last fill, fills are fetched even without an open order or lot of the pair.
 */
const PAIR_WATCHED_DAYS = 7;

/** Our view of the account: the part of the input of `reconcile` that the database holds. */
export interface AccountState {
  /** When the state was read, by the database's clock; passed back to `apply`. */
  readonly at: Date;
  /** When the account was last compared, passed back to `apply`; null if never. */
  readonly reconciledAt: Date | null;
  /** The instant from which fills are fetched. */
  readonly fillsSince: Date;
  /** The pairs whose fills are fetched. */
  readonly symbols: readonly string[];
  readonly trades: readonly KnownTrade[];
  readonly knownFills: ReadonlySet<string>;
  readonly expectedHoldings: readonly ExpectedHolding[];
  /** Margin only: all interest that was charged, by asset. */
  readonly interest: Totals;
  /** The positions in perpetuals according to the open lots. */
  readonly netLots: readonly NetPosition[];
  /** Shortfalls that have lasted for at least 20 s. If this comparison shows them too, they are confirmed. */
  readonly shortfalls: Shortfalls;
  /** The total of each asset at the last reconciliation; null if it is unknown. */
  readonly reconciledTotals: Totals | null;
}

/** The free and locked amount of each asset together; on margin less what was borrowed. */
export type Totals = Readonly<Record<string, Decimal>>;
export async function readState(tx: Tx, accountId: string): Promise<AccountState> {
  const [stored] = await queryPrepared<{
    at: Date;
    reconciledAt: Date | null;
    since: Date;
    shortfalls: Shortfalls | null;
    totals: Totals | null;
  }>(tx, LAST_RECONCILIATION, [accountId, OVERLAP_MS, MISSING_FOR_MS]);
  if (stored === undefined) throw new Error(`exchange account ${accountId} does not exist`);
  const trades = await queryPrepared<KnownTrade & Record<string, unknown>>(tx, KNOWN_TRADES, [
    accountId,
    stored.since,
  ]);
  const fills = await queryPrepared<{
    symbol: string;
    exchangeOrderId: string | null;
    exchangeFillId: string;
  }>(tx, KNOWN_FILLS, [accountId, stored.since]);
  const holdings = await queryPrepared<ExpectedHolding & Record<string, unknown>>(tx, EXPECTED_HOLDINGS, [
    accountId,
  ]);
  const interest = await readInterest(tx, accountId);
  const netLots = await queryPrepared<NetPosition & Record<string, unknown>>(tx, NET_LOTS, [accountId]);
  const symbols = await queryPrepared<{ symbol: string }>(tx, WATCHED_SYMBOLS, [
    accountId,
    PAIR_WATCHED_DAYS,
  ]);
  return {
    at: stored.at,
    reconciledAt: stored.reconciledAt,
    fillsSince: stored.since,
    symbols: symbols.map(({ symbol }) => symbol),
    trades,
    knownFills: new Set(
      fills.map(({ symbol, exchangeOrderId, exchangeFillId }) =>
        fillKey({ symbol, exchangeOrderId: exchangeOrderId ?? '', exchangeFillId }),
      ),
    ),
    expectedHoldings: holdings,
    interest,
    netLots,
    shortfalls: stored.shortfalls ?? {},
    reconciledTotals: stored.totals,
  };
}

const LAST_RECONCILIATION = `SELECT clock_timestamp() AS at, r.reconciled_at AS "reconciledAt",
    CASE WHEN r.suspected_at <= clock_timestamp() - $3 * interval '1 millisecond' THEN r.shortfalls END AS shortfalls,
    coalesce(r.reconciled_at, a.created_at) - $2 * interval '1 millisecond' AS since, r.totals
  FROM exchange_accounts a LEFT JOIN reconciliations r ON r.exchange_account_id = a.id WHERE a.id = $1`;

/** The columns of `KnownTrade`. */
const KNOWN_COLUMNS = `id, symbol, venue_client_order_id AS "venueClientOrderId", exchange_order_id AS "exchangeOrderId",
  ${IS_OURS('t')} AS "isOurs", submitted_at IS NOT NULL AS "isSubmitted", acknowledged_at IS NOT NULL AS "isAcknowledged",
  status IN ('PENDING', 'PARTIALLY_FILLED') AS "isOpen", trim_scale(filled_amount)::text AS "filledAmount"`;

/**
 * Selects open trades, and trades that ended since `$2` and were created at most one day before `$2`. `endedTradesOf` reads
 * older trades whose orders are open.
 */
const KNOWN_TRADES = `SELECT ${KNOWN_COLUMNS} FROM trades t
  WHERE exchange_account_id = $1 AND status IN ('PENDING', 'PARTIALLY_FILLED')
  UNION ALL
  SELECT ${KNOWN_COLUMNS} FROM trades t
  WHERE exchange_account_id = $1 AND status IN ('FILLED', 'CANCELLED', 'FAILED') AND updated_at >= $2
    AND created_at >= $2::timestamptz - interval '1 day' AND venue_client_order_id IS NOT NULL
  ORDER BY id`;

const ENDED_TRADES = `SELECT ${KNOWN_COLUMNS} FROM trades t
  WHERE exchange_account_id = $1 AND status IN ('FILLED', 'CANCELLED', 'FAILED') AND ${IS_OURS('t')}
    AND (venue_client_order_id = ANY ($2) OR exchange_order_id = ANY ($3))
  ORDER BY id`;

interface OrderIds {
  readonly venueClientOrderId: string;
  readonly exchangeOrderId: string;
}

/** Returns the ended trades of the product's orders among `orders`, however long ago they ended. */
export async function endedTradesOf(
  tx: Tx,
  accountId: string,
  orders: readonly OrderIds[],
): Promise<readonly KnownTrade[]> {
  if (orders.length === 0) return [];
  return queryPrepared<KnownTrade & Record<string, unknown>>(tx, ENDED_TRADES, [
    accountId,
    orders.flatMap(({ venueClientOrderId }) => venueClientOrderId || []),
    orders.map(({ exchangeOrderId }) => exchangeOrderId),
  ]);
}

const KNOWN_FILLS = `SELECT f.symbol, t.exchange_order_id AS "exchangeOrderId", f.exchange_fill_id AS "exchangeFillId"
  FROM fills f JOIN trades t ON t.id = f.trade_id
  WHERE f.exchange_account_id = $1 AND f.executed_at >= $2`;

/** Short lots of other accounts with the same wallet count, too: an order may sell coins of the wallet before it borrows. */
const EXPECTED_HOLDINGS = `SELECT l.trade_pair_id AS "pairId", l.symbol, p.base,
    trim_scale(coalesce(sum(l.open_amount) FILTER (WHERE l.side = 'BUY' AND w.member_id = $1), 0))::text AS amount,
    trim_scale(coalesce(sum(l.open_amount) FILTER (WHERE l.side = 'SELL'), 0))::text AS "shortAmount"
  FROM wallet_accounts(ARRAY[$1::uuid]) w JOIN lots l ON l.exchange_account_id = w.member_id
  JOIN trade_pairs p ON p.id = l.trade_pair_id
  WHERE l.open_amount > 0 AND p.trading_type IN ('spot', 'margin')
  GROUP BY 1, 2, 3 ORDER BY min(l.opened_at), 1`;

const INTEREST = `SELECT asset, trim_scale(sum(amount))::text AS amount FROM interest_charges
  WHERE exchange_account_id = $1 GROUP BY 1`;

export async function readInterest(tx: Tx, accountId: string): Promise<Totals> {
  const rows = await queryPrepared<{ asset: string; amount: Decimal }>(tx, INTEREST, [accountId]);
  return Object.fromEntries(rows.map(({ asset, amount }) => [asset, amount]));
}

/**
 * What the account's position should be: its open lots, and those that the product's orders opened through other connections
 * of the same exchange account, which are never adopted as external orders.
 */
const NET_LOTS = `SELECT l.symbol, trim_scale(${SIGNED_LOTS})::text AS net
  FROM (${connectionsOf('$1::uuid')}) connection
  JOIN lots l ON l.exchange_account_id = connection.id AND l.open_amount > 0
  JOIN trade_pairs p ON p.id = l.trade_pair_id
  WHERE (connection.id = $1 OR ${IS_LOT_OF_OURS('l')})
    AND p.trading_type = 'perpetual' AND p.listed_symbol IS NULL
  GROUP BY 1 ORDER BY 1`;

/** Leaves out pairs that the exchange no longer lists: it rejects a read of their fills, which would fail the whole run. */
const WATCHED_SYMBOLS = `SELECT DISTINCT coalesce(p.listed_symbol, p.symbol) AS symbol FROM (
    SELECT trade_pair_id AS pair_id FROM trades WHERE exchange_account_id = $1 AND status IN ('PENDING', 'PARTIALLY_FILLED')
      AND submitted_at IS NOT NULL
    UNION SELECT trade_pair_id FROM lots WHERE exchange_account_id = $1 AND open_amount > 0
    UNION SELECT trade_pair_id FROM lot_books
      WHERE exchange_account_id = $1 AND last_executed_at > clock_timestamp() - $2 * interval '1 day'
  ) AS watched JOIN trade_pairs p ON p.id = watched.pair_id
  WHERE p.is_active OR p.inactive_reason IS DISTINCT FROM 'DELISTED' ORDER BY 1`;
