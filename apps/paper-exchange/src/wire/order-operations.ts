import type { Account, Order } from '../engine/order.js';
import { findMarket } from '../engine/symbols.js';
import { VENUE_ERRORS, VenueError } from '../errors.js';
import { commissionOf } from './commission.js';
import {
  accountOperation,
  NO_RESPONSE,
  type Operation,
  type SignedCall,
  type VenueContext,
} from './operation.js';
import { ORDER_PARAMS, readClientOrderId, readOrder, responseTypeOf } from './order-params.js';
import { integerOf, pageOf, required, symbolOf } from './params.js';
import { canceledView, fillView, listView, orderView, placedView } from './views.js';

const PLACE_ORDER = 'POST /api/v3/order';
const REPLACE_ORDER = 'POST /api/v3/order/cancelReplace';
const PAGE_PARAMS = ['symbol', 'startTime', 'endTime', 'limit'];

/** Declares the operations on single orders. */
export function orderOperations(context: VenueContext): Operation[] {
  const { exchange } = context;
  const { state } = exchange;
  return [
    accountOperation(PLACE_ORDER, { params: ORDER_PARAMS, socketMethod: 'order.place' }, (call) =>
      placed(context, call, (account, params) => placeOrder(context, account, params)),
    ),
    accountOperation(
      'POST /api/v3/order/test',
      { params: [...ORDER_PARAMS, 'computeCommissionRates'], socketMethod: 'order.test' },
      ({ account, params }) => {
        assertMayTrade(account);
        const spec = symbolOf(params);
        responseTypeOf(params);
        exchange.test(account, spec, readOrder(spec, params));
        return params.get('computeCommissionRates') === 'true' ? testCommission(context) : {};
      },
    ),
    accountOperation(
      REPLACE_ORDER,
      {
        params: [...ORDER_PARAMS, ...REPLACE_PARAMS],
        socketMethod: 'order.cancelReplace',
      },
      (call) => placed(context, call, (account, params) => replaceOrder(context, account, params)),
    ),
    accountOperation(
      'GET /api/v3/order',
      { params: ['symbol', 'orderId', 'origClientOrderId'], socketMethod: 'order.status' },
      ({ account, params }) => {
        const order = findOrder(context, account, params);
        if (order === undefined) throw VENUE_ERRORS.noSuchOrder();
        return orderView(order);
      },
    ),
    accountOperation(
      'DELETE /api/v3/order',
      {
        params: ['symbol', 'orderId', 'origClientOrderId', 'newClientOrderId', 'cancelRestrictions'],
        socketMethod: 'order.cancel',
      },
      ({ account, params }) => cancelOrder(context, account, params),
    ),
    accountOperation(
      'GET /api/v3/openOrders',
      { params: ['symbol'], socketMethod: 'openOrders.status' },
      ({ account, params }) => openOrders(context, account, params).map(orderView),
    ),
    accountOperation(
      'DELETE /api/v3/openOrders',
      { params: ['symbol'], socketMethod: 'openOrders.cancelAll' },
      ({ account, params }) => cancelAll(context, account, params),
    ),
    accountOperation(
      'GET /api/v3/allOrders',
      { params: [...PAGE_PARAMS, 'orderId'], socketMethod: 'allOrders' },
      ({ account, params }) => {
        const { id } = symbolOf(params);
        const page = pageOf(params, 'orderId');
        return page(
          state.ordersOf(account.id).filter((order) => order.symbol === id),
          (order) => order.createdAt,
        ).map(orderView);
      },
    ),
    accountOperation(
      'GET /api/v3/myTrades',
      { params: [...PAGE_PARAMS, 'orderId', 'fromId'], socketMethod: 'myTrades' },
      ({ account, params }) => myTrades(context, account, params),
    ),
  ];
}

const REPLACE_PARAMS = [
  'cancelReplaceMode',
  'cancelNewClientOrderId',
  'cancelOrigClientOrderId',
  'cancelOrderId',
  'cancelRestrictions',
];

/** Applies the weather and the limits of new orders to `place`, and counts `orderCount` orders. */
export function placed(
  { weather, limits }: Pick<VenueContext, 'weather' | 'limits'>,
  call: SignedCall,
  place: (account: Account, params: URLSearchParams) => object,
  orderCount = 1,
): unknown {
  const { account, params } = call;
  if (weather.applies('error_rate')) throw VENUE_ERRORS.disconnected();
  assertMayTrade(account);
  limits.assertOrderAllowed(account.id);
  const result = place(account, params);
  call.orderCounts = limits.countOrder(account.id, orderCount);
  if (weather.applies('drop_answer_rate')) return NO_RESPONSE;
  if (weather.applies('unknown_answer_rate')) throw VENUE_ERRORS.unknownOutcome();
  return result;
}

export function assertMayTrade(account: Account): void {
  if (!account.canTrade) throw VENUE_ERRORS.invalidApiKey();
}

function placeOrder({ exchange }: VenueContext, account: Account, params: URLSearchParams): object {
  const spec = symbolOf(params);
  const responseType = responseTypeOf(params);
  const order = exchange.place(account, spec, readOrder(spec, params));
  return placedView(order, responseType, exchange.state.fillsOfOrder(order));
}

/**
 * Cancels an order, then places another. With STOP_ON_FAILURE, nothing is placed if the cancellation fails; with
 * ALLOW_FAILURE, it is.
 *
 * @throws VenueError -2021 (409) if one half failed, -2022 (400) if both failed; `data` contains both results
 */
function replaceOrder(context: VenueContext, account: Account, params: URLSearchParams): object {
  const mode = required(params, 'cancelReplaceMode');
  if (mode !== 'STOP_ON_FAILURE' && mode !== 'ALLOW_FAILURE')
    throw VENUE_ERRORS.invalidValue('cancelReplaceMode');
  const spec = symbolOf(params);
  // A malformed order is refused before anything is canceled.
  readOrder(spec, params);
  responseTypeOf(params);
  const cancel = attempt(() => cancelOrder(context, account, cancelParamsOf(params)));
  const isStopped = !cancel.isDone && mode === 'STOP_ON_FAILURE';
  const order = isStopped ? undefined : attempt(() => placeOrder(context, account, params));
  const results = {
    cancelResult: cancel.isDone ? 'SUCCESS' : 'FAILURE',
    newOrderResult: order === undefined ? 'NOT_ATTEMPTED' : order.isDone ? 'SUCCESS' : 'FAILURE',
    cancelResponse: cancel.response,
    newOrderResponse: order?.response ?? null,
  };
  if (cancel.isDone && order?.isDone === true) return results;
  throw cancel.isDone || order?.isDone === true
    ? new VenueError(-2021, 'Order cancel-replace partially failed.', 409, undefined, results)
    : new VenueError(-2022, 'Order cancel-replace failed.', 400, undefined, results);
}

function cancelParamsOf(params: URLSearchParams): URLSearchParams {
  const result = new URLSearchParams();
  for (const [from, to] of [
    ['symbol', 'symbol'],
    ['cancelNewClientOrderId', 'newClientOrderId'],
    ['cancelOrigClientOrderId', 'origClientOrderId'],
    ['cancelOrderId', 'orderId'],
    ['cancelRestrictions', 'cancelRestrictions'],
  ] as const) {
    const value = params.get(from);
    if (value !== null) result.set(to, value);
  }
  if (!result.has('orderId') && !result.has('origClientOrderId'))
    throw VENUE_ERRORS.missingBoth('cancelOrigClientOrderId', 'cancelOrderId');
  return result;
}

/** Runs one half of an operation. Its `response` is the result, or the error in the venue's format. */
function attempt(action: () => object): { readonly isDone: boolean; readonly response: object } {
  try {
    return { isDone: true, response: action() };
  } catch (error) {
    if (!(error instanceof VenueError)) throw error;
    return { isDone: false, response: { code: error.code, msg: error.message } };
  }
}

export function cancelOrder(context: VenueContext, account: Account, params: URLSearchParams): object {
  const cancelId = readClientOrderId(params);
  const restriction = params.get('cancelRestrictions');
  if (restriction !== null && restriction !== 'ONLY_NEW' && restriction !== 'ONLY_PARTIALLY_FILLED')
    throw VENUE_ERRORS.invalidCancelRestrictions();
  const order = findOrder(context, account, params);
  if (order === undefined) throw VENUE_ERRORS.cancelUnknown();
  if (restriction !== null && restriction !== `ONLY_${order.status}`) throw VENUE_ERRORS.cancelRestricted();
  const { exchange } = context;
  const list = order.listId === undefined ? undefined : exchange.state.list(order.listId);
  const open = list === undefined ? [] : exchange.state.legsOf(list);
  const canceled = exchange.cancel(order, cancelId);
  return list === undefined ? canceledView(canceled, cancelId) : listView(list, open, cancelId, 'CANCELED');
}

export function cancelAll(context: VenueContext, account: Account, params: URLSearchParams): object[] {
  symbolOf(params);
  const { exchange } = context;
  const open = openOrders(context, account, params);
  if (open.length === 0) throw VENUE_ERRORS.cancelUnknown();
  const reports: object[] = [];
  for (const order of open) {
    // The cancellation of a leg cancels the other one, too.
    if (order.status === 'CANCELED') continue;
    const cancelId = readClientOrderId(params);
    exchange.cancel(order, cancelId);
    const list = order.listId === undefined ? undefined : exchange.state.list(order.listId);
    reports.push(
      list === undefined
        ? canceledView(order, cancelId)
        : listView(list, exchange.state.legsOf(list), cancelId, 'CANCELED'),
    );
  }
  return reports;
}

export function myTrades({ exchange: { state } }: VenueContext, account: Account, params: URLSearchParams) {
  const { id } = symbolOf(params);
  const orderId = integerOf(params, 'orderId');
  const page = pageOf(params, 'fromId');
  const order = orderId === undefined ? undefined : state.order(orderId);
  const isOwn = order?.accountId === account.id;
  const fills = orderId === undefined ? state.fillsOf(account.id) : isOwn ? state.fillsOfOrder(order) : [];
  return page(
    fills.filter((fill) => fill.symbol === id),
    (fill) => fill.executedAt,
  ).map((fill) => fillView(fill, state.order(fill.orderId)?.listId));
}

export function findOrder(
  { exchange: { state } }: VenueContext,
  account: Account,
  params: URLSearchParams,
): Order | undefined {
  const { id } = symbolOf(params);
  const orderId = integerOf(params, 'orderId');
  const clientOrderId = params.get('origClientOrderId');
  if (orderId === undefined) {
    if (clientOrderId === null) throw VENUE_ERRORS.missingBoth('origClientOrderId', 'orderId');
    return state.orderByClientId(account.id, id, clientOrderId);
  }
  const order = state.order(orderId);
  const isWanted = clientOrderId === null || order?.clientOrderId === clientOrderId;
  return isWanted && order?.accountId === account.id && order.symbol === id ? order : undefined;
}

export function openOrders(
  { exchange: { state } }: VenueContext,
  account: Account,
  params: URLSearchParams,
): Order[] {
  const symbol = params.get('symbol');
  if (symbol !== null && findMarket(symbol) === undefined) throw VENUE_ERRORS.invalidSymbol();
  return state.openOrdersOf(account.id).filter((order) => symbol === null || order.symbol === symbol);
}

function testCommission({ fees }: VenueContext): object {
  const { maker, taker } = commissionOf(fees);
  return {
    standardCommissionForOrder: { maker, taker },
    taxCommissionForOrder: { maker: '0.00000000', taker: '0.00000000' },
    discount: {
      enabledForAccount: false,
      enabledForSymbol: false,
      discountAsset: 'BNB',
      discount: '1.00000000',
    },
  };
}
