/**
 * KuCoin's calls about orders of spot and of cross margin, of its high-frequency system:
 * https://www.kucoin.com/docs-new/rest/spot-trading/introduction
 */
import { z } from 'zod';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import type { FillCalls, OrderCalls, VenueSession } from '../../ccxt/declaration.js';
import { MalformedResponse } from '../../ccxt/failures.js';
import { sortByExecution } from '../../ccxt/fills.js';
import { acceptedOrder, orderArguments } from '../../ccxt/orders.js';
import { allPages, allRanges } from '../../ccxt/pages.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { OrderRequest, VenueFill, VenueOrder } from '../../port.js';
import { fetchData, identifier, isAbsenceProven, RANGES } from './lists.js';
import { readSpotFill, readSpotOrder } from './spot-records.js';

/** The account whose balance orders use. */
export type SpotAccount = 'SPOT' | 'CROSS_MARGIN';

interface Endpoints {
  readonly place: string;
  readonly cancel: string;
  readonly cancelById: string;
  readonly byClientId: string;
  readonly byId: string;
  readonly open: string;
  readonly openSymbols: string;
  readonly fills: string;
  /** What lists of the account name besides the market. */
  readonly filter: Readonly<Record<string, string>>;
}

const ENDPOINTS: Readonly<Record<SpotAccount, Endpoints>> = {
  SPOT: {
    place: 'privatePostHfOrders',
    cancel: 'privateDeleteHfOrdersClientOrderClientOid',
    cancelById: 'privateDeleteHfOrdersOrderId',
    byClientId: 'privateGetHfOrdersClientOrderClientOid',
    byId: 'privateGetHfOrdersOrderId',
    open: 'privateGetHfOrdersActive',
    openSymbols: 'privateGetHfOrdersActiveSymbols',
    fills: 'privateGetHfFills',
    filter: {},
  },
  CROSS_MARGIN: {
    place: 'privatePostHfMarginOrder',
    cancel: 'privateDeleteHfMarginOrdersClientOrderClientOid',
    cancelById: 'privateDeleteHfMarginOrdersOrderId',
    byClientId: 'privateGetHfMarginOrdersClientOrderClientOid',
    byId: 'privateGetHfMarginOrdersOrderId',
    open: 'privateGetHfMarginOrdersActive',
    openSymbols: 'privateGetHfMarginOrderActiveSymbols',
    fills: 'privateGetHfMarginFills',
    filter: { tradeType: 'MARGIN_TRADE' },
  },
};

const FILLS_PER_PAGE = 100;
const placed = z.object({ orderId: z.string().min(1) });
const cancelled = z.object({ clientOid: z.string() });
const symbols = z.object({ symbols: z.array(z.string()) });
const fillPage = z.object({ items: z.array(z.unknown()), lastId: identifier.nullish() });

export function spotOrders(account: SpotAccount): OrderCalls {
  const endpoints = ENDPOINTS[account];
  const fetchOrder = async (
    { ccxt, orNull }: VenueSession,
    symbol: string,
    endpoint: string,
    key: Readonly<Record<string, string>>,
  ): Promise<VenueOrder | null> => {
    const params = { ...key, symbol: ccxt.market(symbol).id };
    const record = await orNull(() => fetchData(ccxt, endpoint, params, z.unknown()));
    if (record == null) return null;
    const order = readSpotOrder(ccxt, record);
    if (order?.symbol !== symbol) throw new MalformedResponse('another order');
    return order;
  };
  return {
    place: async ({ ccxt }, order) => {
      const request = orderRequest(ccxt, account, order);
      const { orderId } = await fetchData(ccxt, endpoints.place, request, placed);
      return acceptedOrder(order, orderId, venueTime(ccxt));
    },
    cancel: async ({ ccxt }, { symbol, venueClientOrderId: clientOid }) => {
      const key = { clientOid, symbol: ccxt.market(symbol).id };
      const answer = await fetchData(ccxt, endpoints.cancel, key, cancelled);
      if (answer.clientOid !== clientOid) throw new MalformedResponse('another order');
    },
    cancelByExchangeId: async ({ ccxt }, { symbol, exchangeOrderId: orderId }) => {
      const key = { orderId, symbol: ccxt.market(symbol).id };
      const answer = await fetchData(ccxt, endpoints.cancelById, key, placed);
      if (answer.orderId !== orderId) throw new MalformedResponse('another order');
    },
    find: async (session, { symbol, venueClientOrderId: clientOid, sentAt }) => {
      const order = await fetchOrder(session, symbol, endpoints.byClientId, { clientOid });
      if (order === null) return { outcome: isAbsenceProven(sentAt) ? 'ABSENT' : 'NOT_KNOWN' };
      if (order.venueClientOrderId !== clientOid) throw new MalformedResponse('another order');
      return { outcome: 'FOUND', order };
    },
    findByExchangeId: async (session, { symbol, exchangeOrderId: orderId }) => {
      const order = await fetchOrder(session, symbol, endpoints.byId, { orderId });
      if (order !== null && order.exchangeOrderId !== orderId) throw new MalformedResponse('another order');
      return order;
    },
    fetchOpen: async ({ ccxt }, symbol) => {
      const { filter } = endpoints;
      const ids =
        symbol === undefined
          ? (await fetchData(ccxt, endpoints.openSymbols, filter, symbols)).symbols
          : [ccxt.market(symbol).id];
      const list = z.array(z.unknown()).nullable();
      const lists = ids.map((id) => fetchData(ccxt, endpoints.open, { ...filter, symbol: id }, list));
      const orders = (await Promise.all(lists)).flatMap((records) => records ?? []);
      return orders
        .flatMap((record) => readSpotOrder(ccxt, record) ?? [])
        .filter(({ status }) => status === 'OPEN');
    },
  };
}

function orderRequest(
  ccxt: CcxtClient,
  account: SpotAccount,
  order: OrderRequest,
): Readonly<Record<string, unknown>> {
  const { type } = orderArguments(order, true);
  const { symbol, side, price, timeInForce, venueClientOrderId: clientOid } = order;
  const isPostOnly = timeInForce === 'POST_ONLY';
  const terms = { timeInForce: isPostOnly ? 'GTC' : timeInForce, postOnly: isPostOnly };
  return {
    clientOid,
    symbol: ccxt.market(symbol).id,
    side: side === 'BUY' ? 'buy' : 'sell',
    type,
    size: ccxt.amountToPrecision(symbol, order.amount),
    ...(type === 'limit' && { price: ccxt.priceToPrecision(symbol, price), ...terms }),
    ...(account === 'CROSS_MARGIN' && loanTermsOf(order)),
  };
}

const loanTermsOf = ({ autoBorrow, autoRepay }: OrderRequest) => ({
  isIsolated: false,
  autoBorrow: autoBorrow === true,
  autoRepay: autoRepay === true,
});

export function spotFills(account: SpotAccount): FillCalls {
  const { fills: endpoint, filter } = ENDPOINTS[account];
  const fetchFills = async (
    ccxt: CcxtClient,
    symbol: string,
    more: Readonly<Record<string, unknown>>,
  ): Promise<readonly VenueFill[]> => {
    const params = { ...filter, symbol: ccxt.market(symbol).id, limit: FILLS_PER_PAGE, ...more };
    const records = await allPages(async (lastId) => {
      const page = await fetchData(
        ccxt,
        endpoint,
        lastId === undefined ? params : { ...params, lastId },
        fillPage,
      );
      const { items } = page;
      return { items, next: items.length < FILLS_PER_PAGE ? undefined : (page.lastId ?? undefined) };
    });
    // The list begins with the newest fill. Fills of one millisecond keep their order.
    return records.flatMap((record) => readSpotFill(ccxt, record) ?? []).reverse();
  };
  return {
    listedForMs: RANGES.historyMs,
    ofOrder: async ({ ccxt }, { symbol, exchangeOrderId }) =>
      sortByExecution(await fetchFills(ccxt, symbol, { orderId: exchangeOrderId })),
    since: async ({ ccxt }, symbol, since) =>
      sortByExecution(
        await allRanges(since, RANGES, (from, to) =>
          fetchFills(ccxt, symbol, { startAt: from.getTime(), endAt: to.getTime() }),
        ),
      ),
  };
}
