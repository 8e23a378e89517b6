/**
 * An account compared with its exchange: at the beginning of each connection, and from time to time. What has to be
 * done is decided by reconcile.rules.ts; this is what it needs to know, and what it has written.
 *
 * 1. What is asked of the exchange begins a while before the last comparison that was finished: what happened since
 *    can't fall between two of them, also where it was told late.
 * 2. A difference is never absorbed: it becomes a trade, EXTERNAL where somebody placed an order, RECONCILIATION where
 *    something is just not there any more; and it is told of as any trade.
 * 3. Something is not there any more once all comparisons of some time say so: balances are told later than fills, and
 *    comparisons may follow each other at once.
 */
import { type Decimal, encodeId } from '@trading-automation/contracts';
import type { VenueFill, VenueOrder } from '@trading-automation/exchanges';
import {
  allColumns,
  hydrate,
  inTransaction,
  newUuid,
  queryPrepared,
  type Tx,
} from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';
import { BigDecimal } from '../values/index.js';
import { adoptOrders } from './adopt-orders.js';
import {
  type ExpectedHolding,
  fillKey,
  type KnownTrade,
  type ReconcileAction,
  type Shortfalls,
} from './reconcile.rules.js';
import { announceTrades, type OrderReport, storeReports } from './store-order-reports.js';
import { TradeEntity } from './trade.entity.js';

/** Clocks differ, and exchanges list fills late. */
const OVERLAP_MS = 60_000;
/** For how long something has to be missing. */
const MISSING_FOR_MS = 20_000;
/** How long a pair that nothing is open on any more is still asked for. */
const PAIR_WATCHED_DAYS = 7;

/** The account as it is known here; what `reconcile` needs of this side. */
export interface AccountState {
  /** When this was read, by the database's clock: to be given back to `apply`. */
  readonly at: Date;
  /** From when on fills are to be read. */
  readonly fillsSince: Date;
  /** The pairs whose fills are to be read. */
  readonly symbols: readonly string[];
  readonly trades: readonly KnownTrade[];
  readonly knownFills: ReadonlySet<string>;
  readonly expectedHoldings: readonly ExpectedHolding[];
  /** What has been missing for long enough to be believed, should it be missing still. */
  readonly shortfalls: Shortfalls;
}

type Action = ReconcileAction<VenueOrder, VenueFill>;

export class Reconciliation {
  constructor(private readonly platform: Platform) {}

  async state(accountId: string): Promise<AccountState> {
    return inTransaction(this.platform.database, (tx) => readState(tx, accountId), {
      isolation: 'REPEATABLE READ',
    });
  }

  /**
   * Writes what the actions ask to be written, and notes that the account was compared as of `state.at`: so to be
   * called only with what a whole comparison brought. Orders to identify are fetched before, and given as to adopt; one
   * that the exchange does not know either stays as it is, and its fills alone become a trade. Probes and orders to
   * cancel are the caller's, whenever. Answers with the ids of the trades that this changed.
   */
  async apply(
    accountId: string,
    state: Pick<AccountState, 'at'>,
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
    const sold = await inTransaction(database, async (tx) => {
      const isTurn = await recordReconciliation(tx, accountId, state.at, shortfallsIn(actions));
      return isTurn ? writeOffMissing(tx, accountId, actions) : [];
    });
    return new Set([...adopted, ...sold]);
  }
}

function ordersIn(action: Action): VenueOrder[] {
  if (action.kind === 'identify') return [orderOfFills(action.fills)];
  if (action.kind === 'store' || action.kind === 'adopt') return action.order === null ? [] : [action.order];
  return [];
}

/** An order of which the exchange shows nothing but its fills: all that can be said of it is that it was filled so far. */
function orderOfFills(fills: readonly VenueFill[]): VenueOrder {
  const { symbol, exchangeOrderId, side, executedAt } = fills[0]!;
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
    createdAt: executedAt,
    updatedAt: executedAt,
  };
}

const shortfallsIn = (actions: readonly Action[]): Shortfalls =>
  actions.find((action) => action.kind === 'suspect')?.shortfalls ?? {};

/** False where a comparison that began later, or the same one, has been written: then nothing is missing "again". */
async function recordReconciliation(
  tx: Tx,
  accountId: string,
  at: Date,
  missing: Shortfalls,
): Promise<boolean> {
  const young = await recentShortfall(tx, accountId, at);
  const still = young === null ? {} : lesserOf(young.shortfalls, missing);
  const isStill = young !== null && Object.keys(still).length > 0;
  const rows = await queryPrepared(
    tx,
    `INSERT INTO reconciliations AS r (exchange_account_id, shortfalls, reconciled_at, suspected_at)
     VALUES ($1, $2, $3, $4)
     ON CONFLICT (exchange_account_id) DO UPDATE SET shortfalls = excluded.shortfalls,
       reconciled_at = excluded.reconciled_at, suspected_at = excluded.suspected_at
       WHERE r.reconciled_at < excluded.reconciled_at
     RETURNING 1`,
    [accountId, JSON.stringify(isStill ? still : missing), at, isStill ? young.suspectedAt : at],
  );
  return rows.length > 0;
}

/** What was found missing too short a while ago to be believed; null where there is nothing. */
async function recentShortfall(
  tx: Tx,
  accountId: string,
  at: Date,
): Promise<{ shortfalls: Shortfalls; suspectedAt: Date } | null> {
  const [young] = await queryPrepared<{ shortfalls: Shortfalls; suspectedAt: Date }>(
    tx,
    `SELECT shortfalls, suspected_at AS "suspectedAt" FROM reconciliations
     WHERE exchange_account_id = $1 AND suspected_at > $2::timestamptz - $3 * interval '1 millisecond'
     FOR NO KEY UPDATE`,
    [accountId, at, MISSING_FOR_MS],
  );
  return young ?? null;
}

/** What both say is missing. */
function lesserOf(a: Shortfalls, b: Shortfalls): Shortfalls {
  const both: Record<string, Decimal> = {};
  for (const [asset, amount] of Object.entries(a)) {
    const other = b[asset];
    if (other !== undefined) both[asset] = BigDecimal.min(amount, other).toString();
  }
  return both;
}

async function readState(tx: Tx, accountId: string): Promise<AccountState> {
  const [head] = await queryPrepared<{ at: Date; since: Date; shortfalls: Shortfalls | null }>(tx, HEAD, [
    accountId,
    OVERLAP_MS,
    MISSING_FOR_MS,
  ]);
  if (head === undefined) throw new Error('there is no such exchange account');
  const trades = await queryPrepared<KnownTrade & Record<string, unknown>>(tx, TRADES, [
    accountId,
    head.since,
  ]);
  const fills = await queryPrepared<{
    symbol: string;
    exchangeOrderId: string | null;
    exchangeFillId: string;
  }>(tx, FILLS, [accountId, head.since]);
  const claims = await queryPrepared<ExpectedHolding & Record<string, unknown>>(tx, CLAIMS, [accountId]);
  const symbols = await queryPrepared<{ symbol: string }>(tx, SYMBOLS, [accountId, PAIR_WATCHED_DAYS]);
  return {
    at: head.at,
    fillsSince: head.since,
    symbols: symbols.map(({ symbol }) => symbol),
    trades,
    knownFills: new Set(
      fills.map(({ symbol, exchangeOrderId, exchangeFillId }) =>
        fillKey({ symbol, exchangeOrderId: exchangeOrderId ?? '', exchangeFillId }),
      ),
    ),
    expectedHoldings: claims,
    shortfalls: head.shortfalls ?? {},
  };
}

const HEAD = `SELECT clock_timestamp() AS at,
    CASE WHEN r.suspected_at <= clock_timestamp() - $3 * interval '1 millisecond' THEN r.shortfalls END AS shortfalls,
    coalesce(r.reconciled_at, a.created_at) - $2 * interval '1 millisecond' AS since
  FROM exchange_accounts a LEFT JOIN reconciliations r ON r.exchange_account_id = a.id WHERE a.id = $1`;

/** Those that are open, and those of late that ended since; an older one is known by what the exchange calls it. */
const TRADES = `SELECT id, symbol, venue_client_order_id AS "venueClientOrderId", exchange_order_id AS "exchangeOrderId",
    origin <> 'EXTERNAL' AS "isOurs", submitted_at IS NOT NULL AS "isSubmitted", acknowledged_at IS NOT NULL AS "isAcknowledged",
    status IN ('PENDING', 'PARTIALLY_FILLED') AS "isOpen", trim_scale(filled_amount)::text AS "filledAmount"
  FROM trades t
  WHERE exchange_account_id = $1 AND status IN ('PENDING', 'PARTIALLY_FILLED')
  UNION ALL
  SELECT id, symbol, venue_client_order_id, exchange_order_id, origin <> 'EXTERNAL', submitted_at IS NOT NULL, acknowledged_at IS NOT NULL,
    false, trim_scale(filled_amount)::text
  FROM trades
  WHERE exchange_account_id = $1 AND status IN ('FILLED', 'CANCELLED', 'FAILED') AND updated_at >= $2
    AND created_at >= $2::timestamptz - interval '1 day' AND venue_client_order_id IS NOT NULL
  ORDER BY id`;

const FILLS = `SELECT f.symbol, t.exchange_order_id AS "exchangeOrderId", f.exchange_fill_id AS "exchangeFillId"
  FROM fills f JOIN trades t ON t.id = f.trade_id
  WHERE f.exchange_account_id = $1 AND f.executed_at >= $2`;

const CLAIMS = `SELECT l.trade_pair_id AS "pairId", l.symbol, p.base, trim_scale(sum(l.open_amount))::text AS amount
  FROM lots l JOIN trade_pairs p ON p.id = l.trade_pair_id
  WHERE l.exchange_account_id = $1 AND l.open_amount > 0 AND l.side = 'BUY' AND p.trading_type = 'spot'
  GROUP BY 1, 2, 3 ORDER BY min(l.opened_at), 1`;

const SYMBOLS = `SELECT DISTINCT symbol FROM (
    SELECT symbol FROM trades WHERE exchange_account_id = $1 AND status IN ('PENDING', 'PARTIALLY_FILLED')
    UNION ALL SELECT symbol FROM lots WHERE exchange_account_id = $1 AND open_amount > 0
    UNION ALL SELECT p.symbol FROM lot_books b JOIN trade_pairs p ON p.id = b.trade_pair_id
      WHERE b.exchange_account_id = $1 AND b.last_executed_at > clock_timestamp() - $2 * interval '1 day'
  ) AS watched ORDER BY symbol`;

type WriteOff = Extract<Action, { readonly kind: 'synthesise' }>;

/**
 * What is gone, as sales at the last prices that are known: what it brought, if anything, nobody told.
 *
 * @returns the ids of the trades
 */
async function writeOffMissing(tx: Tx, accountId: string, actions: readonly Action[]): Promise<string[]> {
  const reports: OrderReport[] = [];
  for (const action of actions) {
    if (action.kind === 'synthesise') reports.push(await insertWriteOff(tx, accountId, action));
  }
  await storeReports(tx, reports, { isReconciliation: true });
  return reports.map(({ tradeId }) => tradeId);
}

async function insertWriteOff(
  tx: Tx,
  accountId: string,
  { pairId, symbol, amount }: WriteOff,
): Promise<OrderReport> {
  const id = newUuid();
  const name = encodeId('trd', id);
  const rows = await queryPrepared(tx, INSERT_SALE(tx.connection), [
    id,
    accountId,
    pairId,
    symbol,
    name,
    amount,
  ]);
  const [trade] = hydrate(tx.connection, TradeEntity, rows);
  if (trade === undefined) throw new Error('lots stand on a pair or an account that is not there');
  await announceTrades(tx, [{ trade, type: 'trade.created' }]);
  const [priced] = await queryPrepared<{ price: Decimal; now: Date }>(tx, SALE_PRICE, [accountId, pairId]);
  const { price, now } = priced!;
  const order = { ...endedOrder(trade, name), createdAt: now, updatedAt: now };
  const fill: VenueFill = {
    exchangeFillId: name,
    exchangeOrderId: name,
    symbol,
    side: 'SELL',
    price,
    amount,
    fee: { amount: '0', currency: symbol.split(/[/:]/)[1]! },
    liquidity: 'TAKER',
    executedAt: now,
  };
  return { tradeId: id, order, fills: [fill] };
}

function endedOrder({ symbol, amount }: TradeEntity, name: string) {
  return {
    exchangeOrderId: name,
    venueClientOrderId: name,
    symbol,
    status: 'FILLED',
    side: 'SELL',
    type: 'MARKET',
    timeInForce: 'GTC',
    amount,
    filledAmount: amount,
  } as const;
}

const INSERT_SALE = allColumns(
  TradeEntity,
  't',
  (columns) => `
  INSERT INTO trades AS t (id, user_id, exchange_account_id, trade_pair_id, symbol, trading_type,
    client_order_id, venue_client_order_id, exchange_order_id, origin, type, side, intent, is_exit, reduce_only,
    time_in_force, amount, requested_amount, reserved_asset, reserved_amount, status, look_at, submitted_at,
    reconciled_at)
  SELECT $1, a.user_id, a.id, p.id, $4, a.trading_type, $5, $5, $5, 'RECONCILIATION', 'MARKET', 'SELL', 'REDUCE', true,
    false, 'GTC', $6, $6, p.base, 0, 'PENDING', clock_timestamp(), clock_timestamp(), clock_timestamp()
  FROM exchange_accounts a, trade_pairs p WHERE a.id = $2 AND p.id = $3
  RETURNING ${columns}`,
);

/** Without a last price, what the lots cost: then nothing is said to be won or lost. */
const SALE_PRICE = `SELECT clock_timestamp() AS now, trim_scale(coalesce(p.last_price,
    (SELECT round(sum(l.open_value) / sum(l.open_amount), 18) FROM lots l
     WHERE l.exchange_account_id = $1 AND l.trade_pair_id = $2 AND l.open_amount > 0)))::text AS price
  FROM trade_pairs p WHERE p.id = $2`;
