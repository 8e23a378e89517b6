/** Orders of Binance's USD-M futures: https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api */
import { z } from 'zod';
import { toContracts } from '../../ccxt/amounts.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { OrderCalls, VenueSession } from '../../ccxt/declaration.js';
import { MalformedResponse } from '../../ccxt/failures.js';
import { orderArguments } from '../../ccxt/orders.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import type { OrderLookup, OrderRequest, VenueOrder } from '../../port.js';
import { readFuturesOrder } from './futures-records.js';

const TIMES_IN_FORCE = { GTC: 'GTC', IOC: 'IOC', FOK: 'FOK', POST_ONLY: 'GTX' } as const;
const DAY_MS = 86_400_000;
/** The exchange forgets a cancelled or expired order without fills three days after it was created. */
const FOUND_FOR_MS = 3 * DAY_MS;
/** The open orders of more markets are read with one call. */
const MARKETS_READ_ONE_BY_ONE = 10;
const records = z.array(z.unknown());

type OrderId = { readonly origClientOrderId: string } | { readonly orderId: string };

/** Returns null if the exchange does not find the order. */
export async function fetchFuturesOrder(
  { ccxt, orNull }: VenueSession,
  symbol: string,
  id: OrderId,
): Promise<VenueOrder | null> {
  const params = { symbol: ccxt.market(symbol).id, ...id };
  const record = await orNull(() => callEndpoint(ccxt, 'fapiPrivateGetOrder', params));
  return record === null ? null : readRequested(ccxt, record, symbol, id);
}

function readRequested(ccxt: CcxtClient, record: unknown, symbol: string, id: OrderId): VenueOrder {
  const order = readFuturesOrder(ccxt, record);
  const isRequested =
    'orderId' in id
      ? order?.exchangeOrderId === id.orderId
      : order?.venueClientOrderId === id.origClientOrderId;
  if (order?.symbol !== symbol || !isRequested) throw new MalformedResponse('another order');
  return order;
}

export const futuresOrders: OrderCalls = {
  place: async ({ ccxt }, order) => {
    const response = await callEndpoint(ccxt, 'fapiPrivatePostOrder', orderRequest(ccxt, order));
    const { symbol, venueClientOrderId: origClientOrderId } = order;
    return readRequested(ccxt, response, symbol, { origClientOrderId });
  },
  cancel: ({ ccxt }, { symbol, venueClientOrderId: origClientOrderId }) =>
    cancelOrder(ccxt, symbol, { origClientOrderId }),
  cancelByExchangeId: ({ ccxt }, { symbol, exchangeOrderId: orderId }) =>
    cancelOrder(ccxt, symbol, { orderId }),
  find: async (session, { symbol, venueClientOrderId: origClientOrderId, sentAt }): Promise<OrderLookup> => {
    const order = await fetchFuturesOrder(session, symbol, { origClientOrderId });
    if (order !== null) return { outcome: 'FOUND', order };
    const isRecent = sentAt !== undefined && Date.now() - sentAt.getTime() < FOUND_FOR_MS - DAY_MS;
    return { outcome: isRecent ? 'ABSENT' : 'NOT_KNOWN' };
  },
  findByExchangeId: (session, { symbol, exchangeOrderId: orderId }) =>
    fetchFuturesOrder(session, symbol, { orderId }),
  fetchOpen: ({ ccxt }, symbol) =>
    symbol === undefined ? fetchAllOpen(ccxt) : fetchListed(ccxt, { symbol: ccxt.market(symbol).id }),
};

async function cancelOrder(ccxt: CcxtClient, symbol: string, id: OrderId): Promise<void> {
  const params = { symbol: ccxt.market(symbol).id, ...id };
  readRequested(ccxt, await callEndpoint(ccxt, 'fapiPrivateDeleteOrder', params), symbol, id);
}

const listed = z.array(z.object({ symbol: z.string() }));

/**
 * The open orders of all markets weigh 40, those of one market 1. The positions, which weigh 5, list exactly the markets with a
 * position or an open order:
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api/Position-Information-V3
 */
async function fetchAllOpen(ccxt: CcxtClient): Promise<readonly VenueOrder[]> {
  const positions = parseResponse(listed, await callEndpoint(ccxt, 'fapiPrivateV3GetPositionRisk', {}));
  const ids = [...new Set(positions.map(({ symbol }) => symbol))];
  if (ids.length > MARKETS_READ_ONE_BY_ONE) return fetchListed(ccxt, {});
  const orders: VenueOrder[] = [];
  for (const id of ids) orders.push(...(await fetchListed(ccxt, { symbol: id })));
  return orders;
}

async function fetchListed(ccxt: CcxtClient, params: { readonly symbol?: string }): Promise<VenueOrder[]> {
  const response = await callEndpoint(ccxt, 'fapiPrivateGetOpenOrders', params);
  return parseResponse(records, response).flatMap((record) => readFuturesOrder(ccxt, record) ?? []);
}

function orderRequest(ccxt: CcxtClient, order: OrderRequest): Readonly<Record<string, unknown>> {
  const { type } = orderArguments(order, false);
  const { symbol, side, timeInForce, reduceOnly, price, venueClientOrderId } = order;
  const isLimit = type === 'limit';
  return {
    symbol: ccxt.market(symbol).id,
    side,
    type: isLimit ? 'LIMIT' : 'MARKET',
    quantity: ccxt.amountToPrecision(symbol, toContracts(ccxt, symbol, order.amount)),
    ...(isLimit && {
      price: ccxt.priceToPrecision(symbol, price),
      timeInForce: TIMES_IN_FORCE[timeInForce],
    }),
    ...(reduceOnly && { reduceOnly: 'true' }),
    newClientOrderId: venueClientOrderId,
    // The response then contains the result of an order that ends at once.
    newOrderRespType: 'RESULT',
  };
}
