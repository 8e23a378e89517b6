/** The calls about orders that ccxt's unified methods make. A venue replaces those that its exchange needs otherwise. */
import type { OrderLookup, OrderRequest, VenueOrder } from '../port.js';
import { toContracts } from './amounts.js';
import type { OrderCalls, VenueSession } from './declaration.js';
import { expectCancelled, orderArguments, type RequestedOrder, readOpenOrders, readOrder } from './orders.js';

type Params = Readonly<Record<string, unknown>>;

/**
 * @param isSpot whether the trading type has balances instead of positions
 * @param params parameters of every call
 * @param paramsOf further parameters of a new order
 */
export function unifiedOrders(
  isSpot: boolean,
  params: Params = {},
  paramsOf: (order: OrderRequest) => Params = () => ({}),
): OrderCalls {
  const fetchOrder = ({ ccxt, orNull }: VenueSession, order: RequestedOrder, id: string, more: Params) =>
    orNull(async () =>
      readOrder(ccxt, await ccxt.fetchOrder(id, order.symbol, { ...params, ...more }), order),
    );
  return {
    place: async ({ ccxt }, order) => {
      const { symbol } = order;
      const { type, side, price, params: terms } = orderArguments(order, isSpot);
      const amount = toContracts(ccxt, symbol, order.amount);
      const all = { ...terms, ...params, ...paramsOf(order) };
      const response = await ccxt.createOrder(symbol, type, side, amount, price, all);
      return readOrder(ccxt, response, order);
    },
    cancel: async ({ ccxt }, { symbol, venueClientOrderId }) => {
      const key = { ...params, clientOrderId: venueClientOrderId };
      expectCancelled(await ccxt.cancelOrder('', symbol, key), symbol);
    },
    cancelByExchangeId: async ({ ccxt }, { symbol, exchangeOrderId }) =>
      expectCancelled(await ccxt.cancelOrder(exchangeOrderId, symbol, { ...params }), symbol),
    find: async (session, { symbol, venueClientOrderId }) => {
      const order = { symbol, venueClientOrderId };
      return foundOrAbsent(await fetchOrder(session, order, '', { clientOrderId: venueClientOrderId }));
    },
    findByExchangeId: (session, { symbol, exchangeOrderId }) =>
      fetchOrder(session, { symbol, exchangeOrderId }, exchangeOrderId, {}),
    fetchOpen: async ({ ccxt }, symbol) =>
      readOpenOrders(ccxt, await ccxt.fetchOpenOrders(symbol, undefined, undefined, { ...params }), symbol),
  };
}

/** The result of a look-up at an exchange that finds every order that it has accepted. */
function foundOrAbsent(order: VenueOrder | null): OrderLookup {
  return order === null ? { outcome: 'ABSENT' } : { outcome: 'FOUND', order };
}
