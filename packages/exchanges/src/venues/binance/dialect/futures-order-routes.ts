/** Orders and fills of USD-M futures: https://developers.binance.com/docs/derivatives/usds-margined-futures/trade */
import { z } from 'zod';
import type { Capability, Route } from '../../../../conformance/scripted/dialect.js';
import { type Account, exact, type Order, Refusal } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { type Call, signedFutures } from './calls.js';
import { clientOrderId, idOf, integer, isWithin, marketOf, orderIdOf, range, symbol } from './common.js';
import { cancelledOrder, forcedOrder, listedFill, listedOrder, placedOrder } from './futures-views.js';
import { findOrder, openOrders, openOrdersRequest, orderKey } from './orders.js';

const trading = 'UsdFutures/Trading';
const DAY_MS = 86_400_000;

const orderRequest = z.strictObject({
  symbol,
  side: z.enum(['BUY', 'SELL']),
  type: z.enum(['LIMIT', 'MARKET']),
  timeInForce: z.enum(['GTC', 'IOC', 'FOK', 'GTX']).optional(),
  quantity: z.string(),
  price: z.string().optional(),
  reduceOnly: z.literal('true').optional(),
  newClientOrderId: clientOrderId,
  newOrderRespType: z.literal('RESULT'),
});

function placeOrder(
  exchange: ScriptedExchange,
  owner: Account,
  {
    symbol: name,
    side,
    type,
    timeInForce,
    quantity,
    price,
    reduceOnly,
    newClientOrderId,
  }: z.output<typeof orderRequest>,
): Order {
  const isLimit = type === 'LIMIT';
  if (isLimit !== (price !== undefined) || isLimit !== (timeInForce !== undefined))
    throw new Refusal('BAD_PARAMETER');
  if (owner.isHedged) throw new Refusal('POSITION_MODE');
  return exchange.place(owner, {
    market: marketOf(exchange, name),
    clientOrderId: newClientOrderId,
    side,
    type,
    timeInForce: timeInForce === 'GTX' ? 'POST_ONLY' : (timeInForce ?? 'GTC'),
    amount: exact(quantity),
    price: price === undefined ? undefined : exact(price),
    reduceOnly: reduceOnly !== undefined,
  });
}

/** @throws {Refusal} if a range is longer than a week */
function checkWeek({
  startTime = 0,
  endTime = startTime,
}: {
  startTime?: number | undefined;
  endTime?: number | undefined;
}): void {
  if (startTime !== 0 && endTime - startTime > 7 * DAY_MS) throw new Refusal('BAD_PARAMETER');
}

const order = (method: Call['method'], capability: Capability, recording: string): Call => ({
  method,
  path: 'v1/order',
  capability,
  recording: `${trading}/${recording}`,
  // Of trailing stop orders only.
  documented: ['activatePrice', 'priceRate'],
});

export const futuresOrderRoutes: readonly Route[] = [
  signedFutures(order('POST', 'place', 'PlaceOrder'), orderRequest, ({ exchange, account: owner, params }) =>
    placedOrder(placeOrder(exchange, owner, params)),
  ),
  signedFutures(order('GET', 'find', 'GetOrder'), orderKey, ({ exchange, account: owner, params }) =>
    listedOrder(findOrder(exchange, owner, params)),
  ),
  signedFutures(
    order('DELETE', 'cancel', 'CancelOrder'),
    orderKey,
    ({ exchange, account: owner, params }) => {
      const found = findOrder(exchange, owner, params);
      exchange.cancel(found);
      return cancelledOrder(found);
    },
  ),
  signedFutures(
    { ...order('GET', 'open orders', 'GetOpenOrders'), path: 'v1/openOrders' },
    openOrdersRequest,
    ({ exchange, account: owner, params }) => openOrders(exchange, owner, params.symbol).map(listedOrder),
  ),
  signedFutures(
    { method: 'GET', path: 'v1/userTrades', capability: 'fills', recording: `${trading}/GetUserTrades` },
    z.strictObject({ symbol, orderId: integer.optional(), ...range, limit: integer.max(1_000) }),
    ({ exchange, account: owner, params }) => {
      checkWeek(params);
      return exchange.fills
        .filter(
          ({ order: each, at }) =>
            each.account === owner &&
            idOf(each.market) === params.symbol &&
            (params.orderId === undefined || orderIdOf(each) === params.orderId) &&
            isWithin(at, params),
        )
        .slice(0, params.limit)
        .map(listedFill);
    },
  ),
  signedFutures(
    { method: 'GET', path: 'v1/forceOrders', capability: 'fills', recording: `${trading}/GetForcedOrders` },
    z.strictObject({ symbol, ...range, limit: integer.max(100) }),
    ({ exchange, account: owner, params }) => {
      checkWeek(params);
      return exchange.orders
        .filter(
          ({ account: each, cause, createdAt }) =>
            each === owner && cause !== undefined && isWithin(createdAt, params),
        )
        .map(forcedOrder);
    },
  ),
];
