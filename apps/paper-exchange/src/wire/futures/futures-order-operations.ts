import type { FuturesOrder } from '../../engine/futures/futures-order.js';
import type { Account } from '../../engine/order.js';
import { VENUE_ERRORS } from '../../errors.js';
import { FUTURES_ERRORS } from '../../futures-errors.js';
import { accountOperation, type Operation } from '../operation.js';
import { assertMayTrade, placed } from '../order-operations.js';
import { integerOf, pageOf } from '../params.js';
import { contractParam, type FuturesContext, futuresAccountOf, optionalContract } from './futures-context.js';
import {
  assertPositionSide,
  assertSupported,
  isResultRequested,
  ORDER_PARAMS,
  readFuturesOrder,
  readLots,
  readTicks,
} from './futures-order-params.js';
import {
  amendedView,
  futuresAckView,
  futuresFillView,
  futuresOrderView,
  futuresResultView,
} from './futures-order-views.js';

const ID_PARAMS = ['symbol', 'orderId', 'origClientOrderId'];
const PAGE_PARAMS = ['symbol', 'startTime', 'endTime', 'limit'];
export const AMEND_PARAMS = [...ID_PARAMS, 'side', 'quantity', 'price', 'priceMatch', 'positionSide'];

/** Declares the operations on single futures orders, and on the orders and fills of an account. */
export function futuresOrderOperations(context: FuturesContext): Operation[] {
  return [...changeOperations(context), ...queryOperations(context)];
}

function changeOperations(context: FuturesContext): Operation[] {
  return [
    accountOperation('POST /fapi/v1/order', { params: ORDER_PARAMS, socketMethod: 'order.place' }, (call) =>
      placed(context, call, (account, params) => placeOrder(context, account, params)),
    ),
    accountOperation('POST /fapi/v1/order/test', { params: ORDER_PARAMS }, ({ account, params }) => {
      assertMayTrade(account);
      const spec = contractParam(params);
      const owner = futuresAccountOf(context, account);
      assertPositionSide(owner, params);
      return futuresAckView(context.futures.test(owner, spec, readFuturesOrder(spec, params)));
    }),
    accountOperation('PUT /fapi/v1/order', { params: AMEND_PARAMS, socketMethod: 'order.modify' }, (call) =>
      placed(context, call, (account, params) => amendOrder(context, account, params)),
    ),
    accountOperation(
      'DELETE /fapi/v1/order',
      { params: ID_PARAMS, socketMethod: 'order.cancel' },
      ({ account, params }) => cancelOrder(context, account, params),
    ),
    accountOperation('DELETE /fapi/v1/allOpenOrders', { params: ['symbol'] }, ({ account, params }) => {
      const spec = contractParam(params);
      for (const order of context.futures.state.openOrdersOf(account.id, spec.id))
        context.futures.cancel(order);
      return { code: 200, msg: 'The operation of cancel all open order is done.' };
    }),
  ];
}

function queryOperations(context: FuturesContext): Operation[] {
  const { state } = context.futures;
  return [
    accountOperation(
      'GET /fapi/v1/order',
      { params: ID_PARAMS, socketMethod: 'order.status' },
      ({ account, params }) => futuresOrderView(existingOrder(context, account, params)),
    ),
    accountOperation('GET /fapi/v1/openOrder', { params: ID_PARAMS }, ({ account, params }) => {
      const order = existingOrder(context, account, params);
      if (!state.openOrdersOf(account.id).includes(order)) throw VENUE_ERRORS.noSuchOrder();
      return futuresOrderView(order);
    }),
    accountOperation('GET /fapi/v1/openOrders', { params: ['symbol'] }, ({ account, params }) =>
      state.openOrdersOf(account.id, optionalContract(params)?.id).map(futuresOrderView),
    ),
    accountOperation(
      'GET /fapi/v1/allOrders',
      { params: [...PAGE_PARAMS, 'orderId'] },
      ({ account, params }) => {
        const { id } = contractParam(params);
        const rows = state.ordersOf(account.id).filter(({ symbol }) => symbol === id);
        return pageOf(params, 'orderId')(rows, ({ createdAt }) => createdAt).map(futuresOrderView);
      },
    ),
    accountOperation(
      'GET /fapi/v1/userTrades',
      { params: [...PAGE_PARAMS, 'orderId', 'fromId'] },
      ({ account, params }) => {
        const { id } = contractParam(params);
        const orderId = integerOf(params, 'orderId');
        const rows = state
          .fillsOf(account.id)
          .filter((fill) => fill.symbol === id && (orderId === undefined || fill.orderId === orderId));
        return pageOf(params, 'fromId')(rows, ({ executedAt }) => executedAt).map(futuresFillView);
      },
    ),
  ];
}

/** Places one order. @throws VenueError */
export function placeOrder(context: FuturesContext, account: Account, params: URLSearchParams): object {
  const spec = contractParam(params);
  const owner = futuresAccountOf(context, account);
  const request = readFuturesOrder(spec, params);
  assertPositionSide(owner, params);
  const order = context.futures.place(owner, spec, request);
  return isResultRequested(params) ? futuresResultView(order) : futuresAckView(order);
}

/** Amends one order. @throws VenueError -5025 for an order that is not a LIMIT order */
export function amendOrder(context: FuturesContext, account: Account, params: URLSearchParams): object {
  const spec = contractParam(params);
  assertSupported(params);
  assertPositionSide(futuresAccountOf(context, account), params);
  const order = existingOrder(context, account, params);
  if (order.type !== 'LIMIT') throw FUTURES_ERRORS.limitOnly();
  if ((params.get('side') ?? order.side) !== order.side) throw VENUE_ERRORS.invalidSide();
  const [lots, ticks] = [readLots(spec, params), readTicks(spec, params, 'price')];
  return amendedView(context.futures.amend(order, lots, ticks));
}

/** Cancels one order. @throws VenueError -2011 */
export function cancelOrder(context: FuturesContext, account: Account, params: URLSearchParams): object {
  const order = findOrder(context, account, params);
  if (order === undefined) throw VENUE_ERRORS.cancelUnknown();
  return futuresResultView(context.futures.cancel(order));
}

function existingOrder(context: FuturesContext, account: Account, params: URLSearchParams): FuturesOrder {
  const order = findOrder(context, account, params);
  if (order === undefined) throw VENUE_ERRORS.noSuchOrder();
  return order;
}

/** Finds an order by its id, which prevails, or by its client order id. */
function findOrder(
  { futures: { state } }: FuturesContext,
  account: Account,
  params: URLSearchParams,
): FuturesOrder | undefined {
  const { id } = contractParam(params);
  const orderId = integerOf(params, 'orderId');
  const clientOrderId = params.get('origClientOrderId');
  if (orderId === undefined && clientOrderId === null)
    throw VENUE_ERRORS.missingBoth('origClientOrderId', 'orderId');
  const order =
    orderId === undefined ? state.orderByClientId(account.id, id, clientOrderId ?? '') : state.order(orderId);
  return order?.accountId === account.id && order.symbol === id ? order : undefined;
}
