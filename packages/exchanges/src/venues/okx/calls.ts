/**
 * OKX's calls for orders and fills: https://www.okx.com/docs-v5/en/#order-book-trading-trade
 *
 * The exchange acknowledges an order with its ids alone. The account stream reports the rest.
 */
import type { TradingType } from '@trading-automation/contracts';
import { Precise } from 'ccxt/js/src/base/Precise';
import { z } from 'zod';
import { multiply, toContracts } from '../../ccxt/amounts.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { FillCalls, OrderCalls, VenueSession } from '../../ccxt/declaration.js';
import { failure, MalformedResponse } from '../../ccxt/failures.js';
import { sortByExecution } from '../../ccxt/fills.js';
import { acceptedOrder, orderArguments } from '../../ccxt/orders.js';
import { allPages } from '../../ccxt/pages.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { OrderLookup, OrderRequest, VenueFill, VenueOrder } from '../../port.js';
import { fetchAvailable } from './account.js';
import { readOkxFill, readOkxOrder } from './records.js';

type Params = Readonly<Record<string, unknown>>;

/** The exchange's product types. Cross margin trades the pairs of spot, and older orders of it are named MARGIN. */
export const PRODUCTS: Readonly<Record<TradingType, readonly string[]>> = {
  spot: ['SPOT'],
  margin: ['SPOT', 'MARGIN'],
  perpetual: ['SWAP'],
};

const PAGE_SIZE = 100;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** An order without a fill is found until two hours after it was cancelled. */
const ABSENCE_PROVEN_MS = 110 * MINUTE_MS;
/** The list of recent fills reaches back three days. */
const RECENT_FILLS_MS = 3 * DAY_MS - 10 * MINUTE_MS;
/** The history of fills reaches back three months. */
const FILLS_LISTED_MS = 89 * DAY_MS;

const list = z.object({ data: z.array(z.looseObject({})) });

/**
 * Returns the records of all pages of a list, newest first.
 * @param idField the field of the id by which the list is paged
 */
export function fetchList(
  ccxt: CcxtClient,
  endpoint: string,
  params: Params,
  idField: string,
): Promise<readonly unknown[]> {
  return allPages(async (after) => {
    const page = { ...params, limit: PAGE_SIZE, ...(after === undefined ? {} : { after }) };
    const { data: items } = parseResponse(list, await callEndpoint(ccxt, endpoint, page));
    const last = items.length < PAGE_SIZE ? undefined : items.at(-1)?.[idField];
    return { items, next: typeof last === 'string' ? last : undefined };
  });
}

const acknowledgement = z.object({
  data: z.array(z.object({ ordId: z.string().min(1), clOrdId: z.string(), ts: z.coerce.number() })).length(1),
});

function readAcknowledgement(
  response: unknown,
  id: { readonly clOrdId: string } | { readonly ordId: string },
) {
  const [ack] = parseResponse(acknowledgement, response).data;
  const isRequested = 'ordId' in id ? ack?.ordId === id.ordId : ack?.clOrdId === id.clOrdId;
  if (ack === undefined || !isRequested) throw new MalformedResponse('another order');
  return ack;
}

async function cancelOrder(
  ccxt: CcxtClient,
  symbol: string,
  id: Parameters<typeof readAcknowledgement>[1],
): Promise<void> {
  const key = { instId: ccxt.market(symbol).id, ...id };
  readAcknowledgement(await callEndpoint(ccxt, 'privatePostTradeCancelOrder', key), id);
}

export function okxOrders(type: TradingType): OrderCalls {
  return {
    place: async ({ ccxt }, order) => {
      const request = orderRequest(ccxt, type, order);
      if (type === 'margin' && order.autoBorrow !== true) await expectOwnFunds(ccxt, order);
      const response = await callEndpoint(ccxt, 'privatePostTradeOrder', request);
      const { ordId, ts } = readAcknowledgement(response, { clOrdId: order.venueClientOrderId });
      return acceptedOrder(order, ordId, new Date(ts));
    },
    cancel: ({ ccxt }, { symbol, venueClientOrderId }) =>
      cancelOrder(ccxt, symbol, { clOrdId: venueClientOrderId }),
    cancelByExchangeId: ({ ccxt }, { symbol, exchangeOrderId }) =>
      cancelOrder(ccxt, symbol, { ordId: exchangeOrderId }),
    find: async (session, { symbol, venueClientOrderId, sentAt }) => {
      const order = await findOrder(session, symbol, { clOrdId: venueClientOrderId });
      if (order === null) return { outcome: absenceOf(session.ccxt, sentAt) };
      if (order.venueClientOrderId !== venueClientOrderId) throw new MalformedResponse('another order');
      return { outcome: 'FOUND', order };
    },
    findByExchangeId: async (session, { symbol, exchangeOrderId }) => {
      const order = await findOrder(session, symbol, { ordId: exchangeOrderId });
      if (order !== null && order.exchangeOrderId !== exchangeOrderId)
        throw new MalformedResponse('another order');
      return order;
    },
    fetchOpen: async ({ ccxt }, symbol) => {
      const pair = symbol === undefined ? {} : { instId: ccxt.market(symbol).id };
      const lists = PRODUCTS[type].map((instType) =>
        fetchList(ccxt, 'privateGetTradeOrdersPending', { instType, ...pair }, 'ordId'),
      );
      return (await Promise.all(lists)).flat().flatMap((record) => readOkxOrder(ccxt, record) ?? []);
    },
  };
}

async function findOrder(
  { ccxt, orNull }: VenueSession,
  symbol: string,
  key: Params,
): Promise<VenueOrder | null> {
  const params = { instId: ccxt.market(symbol).id, ...key };
  const response = await orNull(() => callEndpoint(ccxt, 'privateGetTradeOrder', params));
  if (response === null) return null;
  const order = readOkxOrder(ccxt, parseResponse(list, response).data[0]);
  if (order?.symbol !== symbol) throw new MalformedResponse('another order');
  return order;
}

function absenceOf(ccxt: CcxtClient, sentAt: Date | undefined): Exclude<OrderLookup['outcome'], 'FOUND'> {
  if (sentAt === undefined) return 'NOT_KNOWN';
  return venueTime(ccxt).getTime() - sentAt.getTime() < ABSENCE_PROVEN_MS ? 'ABSENT' : 'NOT_KNOWN';
}

const LIMIT_TYPES = { GTC: 'limit', IOC: 'ioc', FOK: 'fok', POST_ONLY: 'post_only' } as const;

function orderRequest(ccxt: CcxtClient, type: TradingType, order: OrderRequest): Params {
  const isPerpetual = type === 'perpetual';
  const kind = orderArguments(order, !isPerpetual);
  if (order.stopPrice !== undefined) throw failure(['rejected', 'not_supported']);
  const { symbol, price, timeInForce, venueClientOrderId, reduceOnly } = order;
  const isLimit = kind.type === 'limit';
  return {
    instId: ccxt.market(symbol).id,
    tdMode: type === 'spot' ? 'cash' : 'cross',
    clOrdId: venueClientOrderId,
    side: kind.side,
    ordType: isLimit ? LIMIT_TYPES[timeInForce] : 'market',
    sz: ccxt.amountToPrecision(symbol, toContracts(ccxt, symbol, order.amount)),
    ...(isLimit && { px: ccxt.priceToPrecision(symbol, price) }),
    // Without it, a market purchase of spot would be counted in quote currency.
    ...(!isLimit && !isPerpetual && { tgtCcy: 'base_ccy' }),
    ...(isPerpetual && reduceOnly && { reduceOnly: true }),
  };
}

const ticker = z.object({ data: z.array(z.object({ askPx: exactDecimal })).length(1) });
/** The exchange reserves this much more for a market purchase. */
const MARKET_RESERVE = '1.05';

/**
 * Rejects an order that would borrow. The exchange lends by a setting of the account and not by order, so the balance is
 * read before. Two orders at the same time may still borrow.
 *
 * @throws {ExchangeError} `rejected`/`insufficient_balance` if the available balance is smaller than what the order spends
 */
async function expectOwnFunds(ccxt: CcxtClient, order: OrderRequest): Promise<void> {
  const { symbol, side, amount, price } = order;
  const { id: instId, base, quote, limits } = ccxt.market(symbol);
  const maximum = limits?.amount?.max;
  if (maximum !== undefined && Precise.stringGt(amount, maximum))
    throw failure(['rejected', 'rule_violated']);
  const available = await fetchAvailable(ccxt, side === 'SELL' ? base : quote);
  if (side === 'SELL') {
    expectAtLeast(available, amount);
    return;
  }
  if (price !== undefined) {
    expectAtLeast(available, multiply(amount, price));
    return;
  }
  const { data } = ticker.safeParse(await callEndpoint(ccxt, 'publicGetMarketTicker', { instId }));
  // Without an offer, a market purchase buys nothing.
  const ask = data?.data[0]?.askPx ?? '0';
  expectAtLeast(available, multiply(multiply(amount, ask), MARKET_RESERVE));
}

function expectAtLeast(available: string, needed: string): void {
  if (Precise.stringLt(available, needed)) throw failure(['rejected', 'insufficient_balance']);
}

const fillKey = z.object({ tradeId: z.string(), ordId: z.string() });

export function okxFills(type: TradingType): FillCalls {
  const fetchFills = async (
    ccxt: CcxtClient,
    endpoints: readonly string[],
    params: Params,
  ): Promise<readonly VenueFill[]> => {
    const lists = PRODUCTS[type].flatMap((instType) =>
      endpoints.map((endpoint) => fetchList(ccxt, endpoint, { instType, ...params }, 'billId')),
    );
    const records = new Map<string, unknown>();
    // The lists begin with the newest fill. Fills of one millisecond keep their order.
    for (const record of (await Promise.all(lists)).flatMap((each) => [...each].reverse())) {
      const { tradeId, ordId } = parseResponse(fillKey, record);
      records.set(`${ordId} ${tradeId}`, record);
    }
    return sortByExecution([...records.values()].flatMap((record) => readOkxFill(ccxt, record) ?? []));
  };
  const [recent, history] = ['privateGetTradeFills', 'privateGetTradeFillsHistory'];
  return {
    listedForMs: FILLS_LISTED_MS,
    ofOrder: ({ ccxt }, { symbol, exchangeOrderId }) => {
      const params = { instId: ccxt.market(symbol).id, ordId: exchangeOrderId };
      return fetchFills(ccxt, [history, recent], params);
    },
    since: ({ ccxt }, symbol, since) => {
      const isRecent = venueTime(ccxt).getTime() - since.getTime() < RECENT_FILLS_MS;
      const params = { instId: ccxt.market(symbol).id, begin: since.getTime() };
      return fetchFills(ccxt, isRecent ? [recent] : [history, recent], params);
    },
  };
}
