/**
 * Turns orders and fills from outside the product into trades, because they change the same balances and lots.
 *
 * 1. An order is ours if we stored its client order id before sending, or if we know its exchange order id. Its report
 *    is then stored for that trade. External orders are matched by exchange order id only: a client order id may be
 *    reused after its order has ended.
 * 2. An order is adopted once, even if several processes receive its report.
 * 3. An order without a client order id is not adopted while the trade is open of an order of ours that was sent and may be
 *    the same order (`mayBeSentOrder`).
 * 4. Orders of the exchange itself (liquidation, auto-deleveraging, settlement) are adopted, too, with their cause as origin.
 * 5. An account can be connected twice. An order that the product placed through one connection is not external for
 *    the other connection.
 */
import { canonicalDecimal, type Decimal, encodeId, type TradingType } from '@trading-automation/contracts';
import type { VenueFill, VenueOrder } from '@trading-automation/exchanges';
import { allProperties, insertMany, newUuid, queryPrepared, type Tx } from '@trading-automation/persistence';
import { NET_OF_LOTS } from './exposure.queries.js';
import { effectOf } from './exposure.rules.js';
import { sentOrdersOf } from './order-listing.queries.js';
import { mayBeSentOrder } from './order-listing.rules.js';
import { IS_OURS } from './origins.js';
import { emitTradeEvents, type OrderReport, storeReports } from './store-order-reports.js';
import { TradeEntity } from './trade.entity.js';
import { intentOf } from './trade.view.js';

export interface AdoptionInput {
  readonly accountId: string;
  readonly orders: readonly VenueOrder[];
  readonly fills: readonly VenueFill[];
  /** Whether reconciliation found the orders and fills, rather than a stream or a check. */
  readonly isReconciliation: boolean;
}

/** Adopts external orders, stores all reports and returns the ids of the changed trades. */
export async function adoptOrders(tx: Tx, adoption: AdoptionInput): Promise<readonly string[]> {
  const { accountId, orders, fills, isReconciliation } = adoption;
  const lookup: OrderIdLookup = {
    accountId,
    venueClientOrderIds: [...orders, ...fills].flatMap(({ venueClientOrderId }) => venueClientOrderId || []),
    exchangeOrderIds: [...orders, ...fills].map(({ exchangeOrderId }) => exchangeOrderId),
  };
  const knownBefore = await knownTrades(tx, lookup);
  const externalOrders = orders.filter((order) => !knownBefore.has(...keysOf(order)));
  const known = externalOrders.length === 0 ? knownBefore : await insertAndReload(tx, lookup, externalOrders);
  const reports = reportsOf(known, orders, fills);
  return [...(await storeReports(tx, reports, { isReconciliation }))];
}

async function insertAndReload(
  tx: Tx,
  lookup: OrderIdLookup,
  externalOrders: readonly VenueOrder[],
): Promise<KnownTrades> {
  await insertExternalTrades(tx, lookup.accountId, externalOrders);
  // Another process may have adopted some of these orders, so the committed rows are read again.
  return knownTrades(tx, lookup);
}

interface OrderIdLookup {
  readonly accountId: string;
  readonly venueClientOrderIds: readonly string[];
  readonly exchangeOrderIds: readonly string[];
}

type OrderIdentity = {
  readonly symbol: string;
  readonly exchangeOrderId: string;
  readonly venueClientOrderId?: string | undefined;
};
const keysOf = ({ symbol, exchangeOrderId, venueClientOrderId }: OrderIdentity) =>
  [venueClientOrderId ? `client ${venueClientOrderId}` : null, `order ${symbol} ${exchangeOrderId}`] as const;

interface TradeOrderIds {
  readonly id: string;
  readonly symbol: string;
  readonly venueClientOrderId: string | null;
  readonly exchangeOrderId: string | null;
  readonly isOurs: boolean;
}

/** The account's trades by venue client order id (ours only) and by exchange order id. */
class KnownTrades {
  private readonly ids = new Map<string, string>();

  constructor(rows: readonly TradeOrderIds[]) {
    for (const { id, symbol, venueClientOrderId, exchangeOrderId, isOurs } of rows) {
      if (venueClientOrderId !== null && isOurs) this.ids.set(`client ${venueClientOrderId}`, id);
      if (exchangeOrderId !== null) this.ids.set(`order ${symbol} ${exchangeOrderId}`, id);
    }
  }

  has(...keys: readonly (string | null)[]): boolean {
    return this.find(...keys) !== undefined;
  }

  find(...keys: readonly (string | null)[]): string | undefined {
    const key = keys.find((each) => each !== null && this.ids.has(each));
    return key === undefined || key === null ? undefined : this.ids.get(key);
  }
}

async function knownTrades(tx: Tx, lookup: OrderIdLookup): Promise<KnownTrades> {
  const { accountId, venueClientOrderIds, exchangeOrderIds } = lookup;
  return new KnownTrades(
    await queryPrepared<TradeOrderIds & Record<string, unknown>>(
      tx,
      `SELECT id, symbol, venue_client_order_id AS "venueClientOrderId", exchange_order_id AS "exchangeOrderId",
         ${IS_OURS('trades')} AS "isOurs" FROM trades
       WHERE exchange_account_id = $1
         AND (venue_client_order_id = ANY ($2) OR exchange_order_id = ANY ($3))`,
      [accountId, venueClientOrderIds, exchangeOrderIds],
    ),
  );
}

function reportsOf(
  known: KnownTrades,
  orders: readonly VenueOrder[],
  fills: readonly VenueFill[],
): OrderReport[] {
  const reports = orders.flatMap((order) => {
    const tradeId = known.find(...keysOf(order));
    return tradeId === undefined ? [] : [{ tradeId, order, fills: [] as VenueFill[] }];
  });
  const byTrade = new Map<string, OrderReport & { readonly fills: VenueFill[] }>(
    reports.map((report) => [report.tradeId, report]),
  );
  // A fill may name its order only by an exchange order id that this call reports for the first time.
  const reported = new Map(reports.map(({ order, tradeId }) => [keysOf(order).at(-1), tradeId]));
  for (const fill of fills) {
    const tradeId = known.find(...keysOf(fill)) ?? reported.get(keysOf(fill).at(-1));
    if (tradeId === undefined) continue;
    const report = byTrade.get(tradeId) ?? { tradeId, order: null, fills: [] };
    report.fills.push(fill);
    byTrade.set(tradeId, report);
  }
  // Trades for which only fills were reported come last.
  return [...reports, ...[...byTrade.values()].filter(({ order }) => order === null)];
}

interface PairOfAccount {
  readonly user_id: string;
  readonly trading_type: TradingType;
  readonly pair_id: string;
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly settle: string | null;
  /** The signed sum of the account's open lots. */
  readonly net: Decimal;
}

/**
 * Inserts trades for external orders. Skips orders of pairs that the product does not know, and orders that may be
 * the product's own.
 */
async function insertExternalTrades(tx: Tx, accountId: string, orders: readonly VenueOrder[]): Promise<void> {
  const pairs = new Map((await pairsOf(tx, accountId, orders)).map((pair) => [pair.symbol, pair]));
  const usedIds = await usedClientOrderIds(tx, accountId, orders);
  const ordersOfDuplicates = await ordersOfDuplicateConnections(tx, accountId, orders);
  const withoutId = orders.filter(({ venueClientOrderId }) => venueClientOrderId === '');
  const sent = await sentOrdersOf(
    tx,
    accountId,
    withoutId.map(({ symbol }) => symbol),
  );
  const inserts = orders
    .filter(({ symbol, amount }) => pairs.has(symbol) && amount !== '0')
    .filter((order) => !ordersOfDuplicates.has(...keysOf(order)))
    .filter((order) => !sent.some((each) => each.symbol === order.symbol && mayBeSentOrder(each, order)))
    .map((order) => ({ id: newUuid(), order, pair: pairs.get(order.symbol)! }));
  if (inserts.length === 0) return;
  const trades = await insertMany(
    tx,
    TradeEntity,
    inserts.map((insert) => newTradeOf(insert, accountId, usedIds)),
    {
      skipConflictsOn: 'any constraint',
      computed: { nextCheckAt: 'clock_timestamp()' },
      returning: allProperties(tx, TradeEntity),
    },
  );
  await emitTradeEvents(
    tx,
    trades.map((trade) => ({ trade, type: 'trade.created' })),
  );
}

interface ExternalOrder {
  readonly id: string;
  readonly order: VenueOrder;
  readonly pair: PairOfAccount;
}

/**
 * Returns the trade of an external order. Its client order id is replaced by the trade's public id if it is malformed
 * or already used by a trade of the account. Its venue client order id is omitted if it is already used. Orders that are
 * adopted together may share a client order id, as those of auto-deleveraging do; the first one keeps it.
 */
function newTradeOf({ id, order, pair }: ExternalOrder, accountId: string, usedIds: UsedClientOrderIds) {
  const { venueClientOrderId } = order;
  const isUsable = CLIENT_ORDER_ID.test(venueClientOrderId) && !usedIds.ours.has(venueClientOrderId);
  const isFree = !usedIds.atVenue.has(venueClientOrderId);
  if (isUsable) usedIds.ours.add(venueClientOrderId);
  usedIds.atVenue.add(venueClientOrderId);
  return {
    id,
    userId: pair.user_id,
    exchangeAccountId: accountId,
    tradePairId: pair.pair_id,
    symbol: order.symbol,
    tradingType: pair.trading_type,
    clientOrderId: isUsable ? venueClientOrderId : encodeId('trd', id),
    venueClientOrderId: isFree ? venueClientOrderId || null : null,
    exchangeOrderId: order.exchangeOrderId,
    origin: order.cause ?? ('EXTERNAL' as const),
    type: order.type,
    side: order.side,
    ...effectOfExternal(order, pair),
    timeInForce: order.timeInForce,
    price: positive(order.price),
    stopPrice: positive(order.stopPrice),
    amount: order.amount,
    requestedAmount: order.amount,
    reservedAsset:
      pair.trading_type === 'perpetual'
        ? (pair.settle ?? pair.quote)
        : order.side === 'BUY'
          ? pair.quote
          : pair.base,
    // The balances that the exchange reports already account for the order.
    reservedAmount: '0',
    status: 'PENDING' as const,
    submittedAt: order.createdAt,
  };
}

function effectOfExternal(
  { side, amount, reduceOnly = false }: VenueOrder,
  { trading_type, net }: PairOfAccount,
): Pick<TradeEntity, 'intent' | 'positionSide' | 'isExit' | 'reduceOnly'> {
  if (trading_type === 'spot')
    return { intent: intentOf(side), positionSide: null, isExit: side === 'SELL', reduceOnly: false };
  const { intent, positionSide, isExit } = effectOf(
    { side, amount, reduceOnly },
    { net, buying: '0', selling: '0' },
  );
  return { intent, positionSide: trading_type === 'perpetual' ? positionSide : null, isExit, reduceOnly };
}

const CLIENT_ORDER_ID = /^[A-Za-z0-9_-]{1,36}$/;

async function pairsOf(tx: Tx, accountId: string, orders: readonly VenueOrder[]): Promise<PairOfAccount[]> {
  const symbols = [...new Set(orders.map(({ symbol }) => symbol))];
  return queryPrepared<PairOfAccount & Record<string, unknown>>(
    tx,
    `SELECT a.user_id, a.trading_type, p.id AS pair_id, p.symbol, p.base, p.quote,
       p.settle, trim_scale(${NET_OF_LOTS('a.id', 'p.id')})::text AS net
     FROM exchange_accounts a JOIN trade_pairs p ON p.exchange = a.exchange AND p.trading_type = a.trading_type
     WHERE a.id = $1 AND p.symbol = ANY ($2)`,
    [accountId, symbols],
  );
}

/** Client order ids of reported orders that trades of the account already use, or orders that are adopted with them. */
interface UsedClientOrderIds {
  /** The ids used as client order ids. */
  readonly ours: Set<string>;
  /** The ids used as venue client order ids. */
  readonly atVenue: Set<string | null>;
}

async function usedClientOrderIds(
  tx: Tx,
  accountId: string,
  orders: readonly VenueOrder[],
): Promise<UsedClientOrderIds> {
  const rows = await queryPrepared<{ client: string; venue: string | null }>(
    tx,
    `SELECT client_order_id AS client, venue_client_order_id AS venue FROM trades
     WHERE exchange_account_id = $1 AND (client_order_id = ANY ($2) OR venue_client_order_id = ANY ($2))`,
    [accountId, orders.map(({ venueClientOrderId }) => venueClientOrderId)],
  );
  return {
    ours: new Set(rows.map(({ client }) => client)),
    atVenue: new Set(rows.map(({ venue }) => venue)),
  };
}

/** Returns the orders that the product placed through other connections of the same exchange account. */
async function ordersOfDuplicateConnections(
  tx: Tx,
  accountId: string,
  orders: readonly VenueOrder[],
): Promise<KnownTrades> {
  return new KnownTrades(
    await queryPrepared<TradeOrderIds & Record<string, unknown>>(
      tx,
      `SELECT t.id, t.symbol, t.venue_client_order_id AS "venueClientOrderId",
         t.exchange_order_id AS "exchangeOrderId", true AS "isOurs"
       FROM exchange_accounts a
       JOIN exchange_accounts d ON d.exchange = a.exchange AND d.venue_account_id = a.venue_account_id
         AND (d.trading_type = a.trading_type OR d.wallet_id = a.wallet_id) AND d.id <> a.id
       JOIN trades t ON t.exchange_account_id = d.id AND ${IS_OURS('t')}
         AND (t.venue_client_order_id = ANY ($2) OR t.exchange_order_id = ANY ($3))
       WHERE a.id = $1`,
      [
        accountId,
        orders.flatMap(({ venueClientOrderId }) => venueClientOrderId || []),
        orders.map(({ exchangeOrderId }) => exchangeOrderId),
      ],
    ),
  );
}

/** Returns null for an absent price or 0, which exchanges report for orders without a price. */
function positive(price: string | undefined): string | null {
  return price === undefined || canonicalDecimal(price) === '0' ? null : price;
}
