/**
 * Compares an account with its exchange when a connection starts and at intervals. reconcile.rules.ts decides what to
 * do; this class reads our records and writes the result.
 *
 * 1. Each comparison requests fills from 60 s before the last complete comparison, so that it also finds fills that the
 *    exchange reports late.
 * 2. A difference is never hidden. It becomes a trade: EXTERNAL if an order was placed outside the product,
 *    RECONCILIATION if an asset is missing or a position differs. Both emit the events of any trade.
 * 3. On margin, the interest of the account is read before a shortfall is recorded.
 * 4. An asset counts as missing, and a position as different, only if every comparison over at least 20 s shows it. An exchange may update
 *    balances later than fills, and two comparisons may follow each other closely.
 */
import { assetsOfSymbol, type Decimal, encodeId } from '@trading-automation/contracts';
import type { VenueFill, VenueOrder } from '@trading-automation/exchanges';
import {
  allColumns,
  hydrate,
  inTransaction,
  newUuid,
  queryPrepared,
  type Tx,
} from '@trading-automation/persistence';
import { Batcher, type Platform } from '../platform/index.js';
import { BigDecimal } from '../values/index.js';
import { type AccountExposure, accountExposures } from './account-exposures.queries.js';
import { adoptOrders } from './adopt-orders.js';
import { endedTradesOf } from './ended-trades.queries.js';
import { NET_OF_LOTS, SIGNED_LOTS } from './exposure.queries.js';
import { lockBooks } from './lots/book-trades.js';
import { IS_LOT_OF_OURS, IS_OURS } from './origins.js';
import {
  type ExpectedHolding,
  fillKey,
  type KnownTrade,
  lesserDifference,
  type NetPosition,
  type ReconcileAction,
  type Shortfalls,
  unknownOrders,
} from './reconcile.rules.js';
import { emitTradeEvents, type OrderReport, storeReports } from './store-order-reports.js';
import { TradeEntity } from './trade.entity.js';

/** How long before the last comparison the fills of the next one begin. Covers clock differences and late fills. */
const OVERLAP_MS = 60_000;
/** How long an asset must be missing before it is written off. */
const MISSING_FOR_MS = 20_000;
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
type Totals = Readonly<Record<string, Decimal>>;

/** A complete comparison: its instants as `state` returned them, and the totals that were compared. */
interface Comparison extends Pick<AccountState, 'at' | 'reconciledAt'> {
  readonly totals: Totals;
}

type Action = ReconcileAction<VenueOrder, VenueFill>;

export class Reconciliation {
  private readonly exposures: Batcher<string, AccountExposure>;

  constructor(private readonly platform: Platform) {
    this.exposures = new Batcher((ids) => accountExposures(platform.database, ids));
  }

  /** Returns what depends on the state of the account. Concurrent calls share one statement. */
  exposureOf(accountId: string): Promise<AccountExposure> {
    return this.exposures.add(accountId);
  }

  /** Reads our view of the account from one database snapshot. @throws if the account does not exist */
  async state(accountId: string): Promise<AccountState> {
    return inTransaction(this.platform.database, (tx) => readState(tx, accountId), {
      isolation: 'REPEATABLE READ',
    });
  }

  /**
   * Returns the trades of the state, and those of ours that ended earlier and whose order the exchange shows as open. For
   * example, the exchange may list the pair again after it had removed it.
   */
  async tradesWith(
    accountId: string,
    { trades }: Pick<AccountState, 'trades'>,
    openOrders: readonly VenueOrder[],
  ): Promise<readonly KnownTrade[]> {
    const unknown = unknownOrders(trades, openOrders);
    return [...trades, ...(await endedTradesOf(this.platform.database.manager, accountId, unknown))];
  }

  /** Returns all interest that was charged to the account, by asset. */
  interestOf(accountId: string): Promise<Totals> {
    return readInterest(this.platform.database.manager, accountId);
  }

  /**
   * Carries out the actions that change the database and returns the ids of the changed trades. It also records that
   * the account was compared at `state.at`, so call it only with the result of a complete comparison. For each
   * `identify` action, first fetch the order and pass an `adopt` action instead. If the exchange does not know the
   * order, pass the `identify` action: its fills alone become a trade. The caller makes the probes and cancellations.
   *
   * @param state the instant of the comparison, the last one that it knew of, and the totals that were compared
   */
  async apply(
    accountId: string,
    state: Comparison,
    actions: readonly Action[],
  ): Promise<ReadonlySet<string>> {
    const { database } = this.platform;
    const orders = actions.flatMap(ordersIn);
    const fills = actions.flatMap((action) => ('fills' in action ? action.fills : []));
    const adopted =
      orders.length + fills.length === 0
        ? []
        : await inTransaction(database, (tx) =>
            adoptOrders(tx, { accountId, orders, fills, isReconciliation: true }),
          );
    const writtenOff = await inTransaction(database, async (tx) => {
      const isNext = await recordReconciliation(tx, accountId, state, shortfallsIn(actions));
      return isNext ? recordCorrections(tx, accountId, actions) : [];
    });
    return new Set([...adopted, ...writtenOff]);
  }
}

function ordersIn(action: Action): VenueOrder[] {
  if (action.kind === 'identify') return [orderOfFills(action.fills)];
  if (action.kind === 'store' || action.kind === 'adopt') return action.order === null ? [] : [action.order];
  return [];
}

/** Builds the order of fills if the exchange shows only the fills. The order's amount is the sum of the fills. */
function orderOfFills(fills: readonly VenueFill[]): VenueOrder {
  const { symbol, exchangeOrderId, side, executedAt, cause } = fills[0]!;
  const amount = fills.reduce((sum, fill) => sum.plus(fill.amount), new BigDecimal(0)).toString();
  return {
    exchangeOrderId,
    venueClientOrderId: '',
    symbol,
    status: 'FILLED',
    side,
    type: 'MARKET',
    timeInForce: 'GTC',
    amount,
    filledAmount: amount,
    cause,
    createdAt: executedAt,
    updatedAt: executedAt,
  };
}

const shortfallsIn = (actions: readonly Action[]): Shortfalls =>
  actions.find((action) => action.kind === 'record_shortfalls')?.shortfalls ?? {};

/**
 * Stores the instant, the totals and the shortfalls of a comparison. Of shortfalls first seen less than 20 s ago, it
 * keeps the assets that this comparison shows too, each with the smaller amount. If there is no such asset, it stores
 * the new shortfalls instead.
 *
 * @returns false if this comparison or a later one is already stored, or if another one was stored after this one had read the
 *   state: that one may have corrected the same shortfall. This comparison then confirms none.
 */
async function recordReconciliation(
  tx: Tx,
  accountId: string,
  { at, reconciledAt, totals }: Comparison,
  missing: Shortfalls,
): Promise<boolean> {
  const last = await lockLast(tx, accountId);
  const recent = await recentShortfalls(tx, accountId, at);
  const common = recent === null ? {} : lesserOf(recent.shortfalls, missing);
  const isRepeated = recent !== null && Object.keys(common).length > 0;
  const rows = await queryPrepared(
    tx,
    `INSERT INTO reconciliations AS r (exchange_account_id, shortfalls, reconciled_at, suspected_at, totals)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (exchange_account_id) DO UPDATE SET shortfalls = excluded.shortfalls,
       reconciled_at = excluded.reconciled_at, suspected_at = excluded.suspected_at, totals = excluded.totals
       WHERE r.reconciled_at < excluded.reconciled_at
     RETURNING 1`,
    [
      accountId,
      JSON.stringify(isRepeated ? common : missing),
      at,
      isRepeated ? recent.suspectedAt : at,
      JSON.stringify(totals),
    ],
  );
  return rows.length > 0 && last?.getTime() === reconciledAt?.getTime();
}

/** Returns the instant of the stored comparison. */
async function lockLast(tx: Tx, accountId: string): Promise<Date | undefined> {
  const [last] = await queryPrepared<{ at: Date }>(
    tx,
    'SELECT reconciled_at AS at FROM reconciliations WHERE exchange_account_id = $1 FOR NO KEY UPDATE',
    [accountId],
  );
  return last?.at;
}

/** Returns the stored shortfalls and the instant of their first comparison; null if they are at least 20 s old. */
async function recentShortfalls(
  tx: Tx,
  accountId: string,
  at: Date,
): Promise<{ shortfalls: Shortfalls; suspectedAt: Date } | null> {
  const [recent] = await queryPrepared<{ shortfalls: Shortfalls; suspectedAt: Date }>(
    tx,
    `SELECT shortfalls, suspected_at AS "suspectedAt" FROM reconciliations
     WHERE exchange_account_id = $1 AND suspected_at > $2::timestamptz - $3 * interval '1 millisecond'
     FOR NO KEY UPDATE`,
    [accountId, at, MISSING_FOR_MS],
  );
  return recent ?? null;
}

/** Returns the smaller shortfall of each asset, and the smaller difference of each symbol, that is in both `a` and `b`. */
function lesserOf(a: Shortfalls, b: Shortfalls): Shortfalls {
  const both: Record<string, Decimal> = {};
  for (const [asset, amount] of Object.entries(a)) {
    const other = b[asset];
    const lesser = lesserDifference(new BigDecimal(amount), new BigDecimal(other ?? 0));
    if (!lesser.isZero()) both[asset] = lesser.toString();
  }
  return both;
}

async function readState(tx: Tx, accountId: string): Promise<AccountState> {
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

/**
 * Selects open trades, and trades that ended since `$2` and were created at most one day before `$2`. `tradesWith` adds
 * older trades whose orders are open.
 */
const KNOWN_TRADES = `SELECT id, symbol, venue_client_order_id AS "venueClientOrderId", exchange_order_id AS "exchangeOrderId",
    ${IS_OURS('t')} AS "isOurs", submitted_at IS NOT NULL AS "isSubmitted", acknowledged_at IS NOT NULL AS "isAcknowledged",
    status IN ('PENDING', 'PARTIALLY_FILLED') AS "isOpen", trim_scale(filled_amount)::text AS "filledAmount"
  FROM trades t
  WHERE exchange_account_id = $1 AND status IN ('PENDING', 'PARTIALLY_FILLED')
  UNION ALL
  SELECT id, symbol, venue_client_order_id, exchange_order_id, ${IS_OURS('trades')}, submitted_at IS NOT NULL, acknowledged_at IS NOT NULL,
    false, trim_scale(filled_amount)::text
  FROM trades
  WHERE exchange_account_id = $1 AND status IN ('FILLED', 'CANCELLED', 'FAILED') AND updated_at >= $2
    AND created_at >= $2::timestamptz - interval '1 day' AND venue_client_order_id IS NOT NULL
  ORDER BY id`;

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

async function readInterest(tx: Tx, accountId: string): Promise<Totals> {
  const rows = await queryPrepared<{ asset: string; amount: Decimal }>(tx, INTEREST, [accountId]);
  return Object.fromEntries(rows.map(({ asset, amount }) => [asset, amount]));
}

/**
 * What the account's position should be: its open lots, and those that the product's orders opened through other connections
 * of the same exchange account, which are never adopted as external orders.
 */
const NET_LOTS = `SELECT l.symbol, trim_scale(${SIGNED_LOTS})::text AS net
  FROM (
    SELECT $1::uuid AS id
    UNION ALL
    SELECT d.id FROM exchange_accounts a
    JOIN exchange_accounts d ON d.exchange = a.exchange AND d.venue_account_id = a.venue_account_id
      AND d.trading_type = a.trading_type AND d.id <> a.id
    WHERE a.id = $1 AND a.trading_type = 'perpetual') AS connection
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

type Correction = Extract<Action, { readonly kind: 'write_off' | 'correct_position' }>;

/**
 * Writes off confirmed shortfalls and corrects positions. The real proceeds of a missing asset are unknown, so it is valued
 * at the last known price; a position at the mark price.
 *
 * @returns the ids of the RECONCILIATION trades
 */
async function recordCorrections(tx: Tx, accountId: string, actions: readonly Action[]): Promise<string[]> {
  const reports: OrderReport[] = [];
  const corrections = actions.filter(isCorrection);
  // No lot may close between the check of a write-off and its booking: on margin, the rest would open a short lot.
  await lockBooks(
    tx,
    corrections.flatMap((action) =>
      action.kind === 'write_off' ? [{ exchangeAccountId: accountId, tradePairId: action.pairId }] : [],
    ),
  );
  for (const action of corrections) {
    const held = action.kind === 'write_off' ? await heldOf(tx, accountId, action.pairId) : null;
    const amount = held === null ? action.amount : BigDecimal.min(action.amount, held).toString();
    if (new BigDecimal(amount).isZero()) continue;
    const report = await insertCorrection(tx, accountId, { ...action, amount });
    if (report !== null) reports.push(report);
  }
  await storeReports(tx, reports, { isReconciliation: true });
  return reports.map(({ tradeId }) => tradeId);
}

const isCorrection = (action: Action): action is Correction =>
  action.kind === 'write_off' || action.kind === 'correct_position';

/** Returns the sum of the account's long lots of a pair. */
async function heldOf(tx: Tx, accountId: string, pairId: string): Promise<Decimal> {
  const [row] = await queryPrepared<{ held: Decimal }>(
    tx,
    `SELECT trim_scale(coalesce(sum(open_amount), 0))::text AS held FROM lots
     WHERE exchange_account_id = $1 AND trade_pair_id = $2 AND side = 'BUY' AND open_amount > 0`,
    [accountId, pairId],
  );
  return row!.held;
}

/** Returns null for a position in a market that the product does not offer, or if no price is known. */
async function insertCorrection(tx: Tx, accountId: string, action: Correction): Promise<OrderReport | null> {
  const id = newUuid();
  const orderId = encodeId('trd', id);
  const { symbol, amount } = action;
  const isPosition = action.kind === 'correct_position';
  const side = isPosition ? action.side : 'SELL';
  const [priced] = await queryPrepared<{ price: Decimal | null; now: Date }>(tx, CORRECTION_PRICE, [
    accountId,
    symbol,
    isPosition ? action.markPrice : null,
  ]);
  if (priced === undefined || priced.price === null) return null;
  const rows = await queryPrepared(tx, INSERT_CORRECTION(tx.connection), [
    id,
    accountId,
    symbol,
    orderId,
    amount,
    side,
  ]);
  const [trade] = hydrate(tx.connection, TradeEntity, rows);
  if (trade === undefined) throw new Error(`account ${accountId} or its pair ${symbol} does not exist`);
  await emitTradeEvents(tx, [{ trade, type: 'trade.created' }]);
  const { price, now } = priced;
  const order = { ...endedOrder(trade, orderId), createdAt: now, updatedAt: now };
  const fill: VenueFill = {
    exchangeFillId: orderId,
    exchangeOrderId: orderId,
    symbol,
    side,
    price,
    amount,
    fee: { amount: '0', currency: assetsOfSymbol(symbol).settle },
    liquidity: 'TAKER',
    executedAt: now,
  };
  return { tradeId: id, order, fills: [fill] };
}

function endedOrder({ symbol, amount, side }: TradeEntity, orderId: string) {
  return {
    exchangeOrderId: orderId,
    venueClientOrderId: orderId,
    symbol,
    status: 'FILLED',
    side,
    type: 'MARKET',
    timeInForce: 'GTC',
    amount,
    filledAmount: amount,
  } as const;
}

/** Joins an account with its pair of a symbol. */
const ACCOUNT_PAIR = (symbol: string) => `exchange_accounts a
  JOIN trade_pairs p ON p.exchange = a.exchange AND p.trading_type = a.trading_type AND p.symbol = ${symbol}`;

/** A correction against the net position reduces it; any other one opens or increases a position. */
const INSERT_CORRECTION = allColumns(
  TradeEntity,
  't',
  (columns) => `
  INSERT INTO trades AS t (id, user_id, exchange_account_id, trade_pair_id, symbol, trading_type,
    client_order_id, venue_client_order_id, exchange_order_id, origin, type, side, intent, position_side, is_exit, reduce_only,
    time_in_force, amount, requested_amount, reserved_asset, reserved_amount, status, look_at, submitted_at,
    reconciled_at)
  SELECT $1, a.user_id, a.id, p.id, p.symbol, a.trading_type, $4, $4, $4, 'RECONCILIATION', 'MARKET', $6,
    CASE WHEN a.trading_type <> 'perpetual' OR net.reduces THEN 'REDUCE' ELSE 'OPEN' END,
    CASE WHEN a.trading_type = 'perpetual' THEN CASE WHEN ($6 = 'BUY') = net.reduces THEN 'SHORT' ELSE 'LONG' END END,
    true, false, 'GTC', $5, $5, CASE WHEN a.trading_type = 'perpetual' THEN coalesce(p.settle, p.quote) ELSE p.base END, 0,
    'PENDING', clock_timestamp(), clock_timestamp(), clock_timestamp()
  FROM ${ACCOUNT_PAIR('$3')}
  CROSS JOIN LATERAL (SELECT ${NET_OF_LOTS('a.id', 'p.id')} * CASE $6 WHEN 'BUY' THEN -1 ELSE 1 END > 0 AS reduces) net
  WHERE a.id = $2
  RETURNING ${columns}`,
);

/**
 * Selects the given mark price, else the last price; if both are unknown, the average cost of the lots, which gives neither
 * profit nor loss. No row without such a pair.
 */
const CORRECTION_PRICE = `SELECT clock_timestamp() AS now, trim_scale(coalesce($3::numeric, p.last_price,
    (SELECT round(sum(l.open_value) / sum(l.open_amount), 18) FROM lots l
     WHERE l.exchange_account_id = a.id AND l.trade_pair_id = p.id AND l.open_amount > 0)))::text AS price
  FROM ${ACCOUNT_PAIR('$2')} WHERE a.id = $1`;
