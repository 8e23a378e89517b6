/**
 * Kraken's spot calls: https://docs.kraken.com/api-reference
 *
 * The nonces of a key have to rise, so the calls of one account are made one after another.
 */
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { FillCalls, OrderCalls, VenueSession } from '../../ccxt/declaration.js';
import { failure, MalformedResponse } from '../../ccxt/failures.js';
import { sortByExecution } from '../../ccxt/fills.js';
import { acceptedOrder, orderArguments } from '../../ccxt/orders.js';
import { allPages } from '../../ccxt/pages.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { OrderKey, OrderRequest, VenueFill, VenueOrder } from '../../port.js';
import { readSpotFill, readSpotOrder } from './spot-records.js';

const TRADES_PER_PAGE = 50;
/** The most trades that one call looks up by their ids. */
const TRADES_PER_LOOK_UP = 20;
/** How much earlier than our time of sending the exchange may have received an order. */
const CLOCK_MARGIN_MS = 60_000;
/** Without it, the exchange reports the fills of one taker order as one. */
const SEPARATE = { consolidate_taker: 'false' };

const records = z.record(z.string(), z.unknown());
const accepted = z.object({ result: z.object({ txid: z.tuple([z.string().min(1)]) }) });
const cancelled = z.object({ result: z.object({ count: z.number() }) });
const openOrders = z.object({ result: z.object({ open: records }) });
const closedOrders = z.object({ result: z.object({ closed: records }) });
const queriedOrders = z.object({ result: records });
const tradesOf = z.object({ trades: z.array(z.string()).optional() });
const tradePage = z.object({ result: z.object({ trades: records }) });

const secondsOf = (at: Date, marginMs: number): number => Math.floor((at.getTime() - marginMs) / 1_000);

function readOrders(ccxt: CcxtClient, orders: z.output<typeof records>): readonly VenueOrder[] {
  return Object.entries(orders).flatMap(([id, record]) => readSpotOrder(ccxt, id, record) ?? []);
}

export const spotOrders: OrderCalls = {
  place: async ({ ccxt }, order) => {
    const response = await callEndpoint(ccxt, 'privatePostAddOrder', orderRequest(ccxt, order));
    const [id] = parseResponse(accepted, response).result.txid;
    return acceptedOrder(order, id, venueTime(ccxt));
  },
  cancel: ({ ccxt }, { venueClientOrderId }) => cancelOrder(ccxt, { cl_ord_id: venueClientOrderId }),
  cancelByExchangeId: ({ ccxt }, { exchangeOrderId }) => cancelOrder(ccxt, { txid: exchangeOrderId }),
  find: async (session, key) => {
    const order = (await findAmongOpen(session, key)) ?? (await findAmongClosed(session, key));
    return order === undefined ? { outcome: 'ABSENT' } : { outcome: 'FOUND', order };
  },
  findByExchangeId: async ({ ccxt, orNull }, { symbol, exchangeOrderId }) => {
    const params = { txid: exchangeOrderId, ...SEPARATE };
    const response = await orNull(() => callEndpoint(ccxt, 'privatePostQueryOrders', params));
    if (response === null) return null;
    const found = readOrders(ccxt, parseResponse(queriedOrders, response).result);
    return found.find((each) => each.exchangeOrderId === exchangeOrderId && each.symbol === symbol) ?? null;
  },
  fetchOpen: async ({ ccxt }, symbol) => {
    const response = await callEndpoint(ccxt, 'privatePostOpenOrders', {});
    const open = readOrders(ccxt, parseResponse(openOrders, response).result.open);
    return open.filter((each) => each.symbol === (symbol ?? each.symbol));
  },
};

async function cancelOrder(
  ccxt: CcxtClient,
  id: { readonly cl_ord_id: string } | { readonly txid: string },
): Promise<void> {
  const response = await callEndpoint(ccxt, 'privatePostCancelOrder', id);
  if (parseResponse(cancelled, response).result.count === 0) throw failure(['rejected', 'order_not_found']);
}

/** An order moves from the open to the closed ones, so it is looked for in this order. */
async function findAmongOpen(
  { ccxt }: VenueSession,
  { symbol, venueClientOrderId }: OrderKey,
): Promise<VenueOrder | undefined> {
  const response = await callEndpoint(ccxt, 'privatePostOpenOrders', { cl_ord_id: venueClientOrderId });
  const orders = readOrders(ccxt, parseResponse(openOrders, response).result.open);
  return orders.find((each) => each.venueClientOrderId === venueClientOrderId && each.symbol === symbol);
}

async function findAmongClosed(
  { ccxt }: VenueSession,
  { symbol, venueClientOrderId, sentAt }: OrderKey,
): Promise<VenueOrder | undefined> {
  const response = await callEndpoint(ccxt, 'privatePostClosedOrders', {
    cl_ord_id: venueClientOrderId,
    ...(sentAt !== undefined && { start: secondsOf(sentAt, CLOCK_MARGIN_MS) }),
    ...SEPARATE,
  });
  const orders = readOrders(ccxt, parseResponse(closedOrders, response).result.closed);
  return orders.find((each) => each.venueClientOrderId === venueClientOrderId && each.symbol === symbol);
}

const TIMES_IN_FORCE = { GTC: 'GTC', IOC: 'IOC', FOK: 'FOK', POST_ONLY: 'GTC' } as const;

function orderRequest(ccxt: CcxtClient, order: OrderRequest): Readonly<Record<string, unknown>> {
  const { type } = orderArguments(order, true);
  const { symbol, side, amount, price, timeInForce, venueClientOrderId } = order;
  const isLimit = type === 'limit';
  return {
    pair: ccxt.market(symbol).id,
    type: side === 'BUY' ? 'buy' : 'sell',
    ordertype: type,
    volume: ccxt.amountToPrecision(symbol, amount),
    cl_ord_id: venueClientOrderId,
    // The exchange would take the fee of a sale in base currency.
    oflags: isLimit && timeInForce === 'POST_ONLY' ? 'fciq,post' : 'fciq',
    ...(isLimit && {
      price: ccxt.priceToPrecision(symbol, price),
      timeinforce: TIMES_IN_FORCE[timeInForce],
    }),
  };
}

export const spotFills: FillCalls = {
  listedForMs: Number.POSITIVE_INFINITY,
  ofOrder: async ({ ccxt }, { symbol, exchangeOrderId }) => {
    const params = { txid: exchangeOrderId, trades: 'true', ...SEPARATE };
    const response = await callEndpoint(ccxt, 'privatePostQueryOrders', params);
    const order = parseResponse(queriedOrders, response).result[exchangeOrderId];
    const { trades = [] } = parseResponse(tradesOf, order);
    const fills: VenueFill[] = [];
    for (let i = 0; i < trades.length; i += TRADES_PER_LOOK_UP) {
      const txid = trades.slice(i, i + TRADES_PER_LOOK_UP).join(',');
      const { result } = parseResponse(
        queriedOrders,
        await callEndpoint(ccxt, 'privatePostQueryTrades', { txid }),
      );
      fills.push(...readTrades(ccxt, result));
    }
    if (fills.some((fill) => fill.exchangeOrderId !== exchangeOrderId || fill.symbol !== symbol))
      throw new MalformedResponse('a fill of another order or symbol');
    return sortByExecution(fills);
  },
  since: async ({ ccxt }, symbol, since) => {
    const start = secondsOf(since, 1_000);
    const fills = await allPages(async (cursor) => {
      const params = { type: 'all', start, ofs: cursor ?? '0', ...SEPARATE };
      const response = await callEndpoint(ccxt, 'privatePostTradesHistory', params);
      const items = Object.entries(parseResponse(tradePage, response).result.trades);
      const next = items.length < TRADES_PER_PAGE ? undefined : String(Number(params.ofs) + items.length);
      return { items, next };
    });
    // New trades move the older ones to later pages, where they come once more.
    const trades = readTrades(ccxt, Object.fromEntries(fills));
    return sortByExecution(trades.filter((fill) => fill.symbol === symbol && fill.executedAt >= since));
  },
};

/** Lists begin with the newest trade. Trades of one millisecond keep their order. */
function readTrades(ccxt: CcxtClient, trades: z.output<typeof records>): readonly VenueFill[] {
  return Object.entries(trades)
    .flatMap(([id, record]) => readSpotFill(ccxt, id, record) ?? [])
    .reverse();
}
