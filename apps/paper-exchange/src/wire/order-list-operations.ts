import type { Account, OrderType } from '../engine/order.js';
import { isLimit, isStop, isStopMarket, type OrderRequest } from '../engine/order.rules.js';
import type { OrderList, OrderListRequest } from '../engine/order-list.js';
import type { MarketSpec } from '../engine/symbols.js';
import { VENUE_ERRORS } from '../errors.js';
import { accountOperation, type Operation, type VenueContext } from './operation.js';
import { placed } from './order-operations.js';
import {
  assertSelfTradePrevention,
  isOrderType,
  type LegNames,
  type ResponseType,
  readClientOrderId,
  readLeg,
  readLots,
  readSide,
} from './order-params.js';
import { integerOf, limitOf, required, symbolOf } from './params.js';
import { listView } from './views.js';

const COMMON_PARAMS = [
  'symbol',
  'listClientOrderId',
  'side',
  'quantity',
  'newOrderRespType',
  'selfTradePreventionMode',
];
const ABOVE = legNames('above');
const BELOW = legNames('below');
/** The names of the older route, whose legs are one limit order and one stop loss. */
const LIMIT_LEG: LegNames = {
  price: 'price',
  stopPrice: '',
  trailingDelta: '',
  timeInForce: '',
  icebergQty: 'limitIcebergQty',
  clientOrderId: 'limitClientOrderId',
};
const STOP_LEG: LegNames = {
  price: 'stopLimitPrice',
  stopPrice: 'stopPrice',
  trailingDelta: 'trailingDelta',
  timeInForce: 'stopLimitTimeInForce',
  icebergQty: 'stopIcebergQty',
  clientOrderId: 'stopClientOrderId',
};

/** Declares the operations on OCO lists: two orders of which one cancels the other. */
export function orderListOperations(context: VenueContext): Operation[] {
  const { state } = context.exchange;
  return [
    accountOperation(
      'POST /api/v3/orderList/oco',
      {
        params: [...COMMON_PARAMS, 'aboveType', 'belowType', ...valuesOf(ABOVE), ...valuesOf(BELOW)],
        socketMethod: 'orderList.place.oco',
      },
      (call) => placed(context, call, (account, params) => placeList(context, account, params, readOco), 2),
    ),
    accountOperation(
      'POST /api/v3/order/oco',
      { params: [...COMMON_PARAMS, ...valuesOf(LIMIT_LEG), ...valuesOf(STOP_LEG)] },
      (call) =>
        placed(context, call, (account, params) => placeList(context, account, params, readOldOco), 2),
    ),
    accountOperation(
      'DELETE /api/v3/orderList',
      {
        params: ['symbol', 'orderListId', 'listClientOrderId', 'newClientOrderId'],
        socketMethod: 'orderList.cancel',
      },
      ({ account, params }) => cancelList(context, account, params),
    ),
    accountOperation(
      'GET /api/v3/orderList',
      { params: ['orderListId', 'origClientOrderId'], socketMethod: 'orderList.status' },
      ({ account, params }) => {
        const list = findList(context, account, params, 'origClientOrderId');
        if (list === undefined) throw VENUE_ERRORS.noSuchOrder();
        return listView(list, state.legsOf(list));
      },
    ),
    accountOperation('GET /api/v3/openOrderList', { socketMethod: 'openOrderLists.status' }, ({ account }) =>
      state
        .listsOf(account.id)
        .filter((list) => state.isListOpen(list))
        .map((list) => listView(list, state.legsOf(list))),
    ),
    accountOperation(
      'GET /api/v3/allOrderList',
      { params: ['fromId', 'startTime', 'endTime', 'limit'], socketMethod: 'allOrderLists' },
      ({ account, params }) => allLists(context, account, params),
    ),
  ];
}

function allLists({ exchange: { state } }: VenueContext, account: Account, params: URLSearchParams) {
  const fromId = integerOf(params, 'fromId');
  const from = integerOf(params, 'startTime');
  const to = integerOf(params, 'endTime') ?? Number.POSITIVE_INFINITY;
  if (fromId !== undefined && (params.has('startTime') || params.has('endTime')))
    throw VENUE_ERRORS.invalidCombination();
  const limit = limitOf(params, 500);
  const lists = state
    .listsOf(account.id)
    .filter(({ id, createdAt }) => id >= (fromId ?? 0) && createdAt >= (from ?? 0) && createdAt <= to);
  const page = fromId === undefined && from === undefined ? lists.slice(-limit) : lists.slice(0, limit);
  return page.map((list) => listView(list, state.legsOf(list)));
}

function placeList(
  { exchange }: VenueContext,
  account: Account,
  params: URLSearchParams,
  readLegs: (spec: MarketSpec, params: URLSearchParams) => OrderListRequest['legs'],
): object {
  const spec = symbolOf(params);
  assertSelfTradePrevention(params);
  const responseType = listResponseTypeOf(params);
  const clientListId = readClientOrderId(params, 'listClientOrderId');
  const list = exchange.placeList(account, spec, { clientListId, legs: readLegs(spec, params) });
  return listView(list, exchange.state.legsOf(list), undefined, responseType);
}

function listResponseTypeOf(params: URLSearchParams): ResponseType {
  const value = params.get('newOrderRespType') ?? 'FULL';
  if (value !== 'ACK' && value !== 'RESULT' && value !== 'FULL') throw VENUE_ERRORS.invalidResponseType();
  return value;
}

function readOco(spec: MarketSpec, params: URLSearchParams): OrderListRequest['legs'] {
  const side = readSide(params);
  const lots = readLots(spec, params, 'LOT_SIZE');
  const above = readLeg(spec, params, { side, lots, type: ocoTypeOf(params, 'aboveType') }, ABOVE);
  const below = readLeg(spec, params, { side, lots, type: ocoTypeOf(params, 'belowType') }, BELOW);
  assertOco(above, below);
  return legsOf(above, below);
}

function readOldOco(spec: MarketSpec, params: URLSearchParams): OrderListRequest['legs'] {
  const side = readSide(params);
  const lots = readLots(spec, params, 'LOT_SIZE');
  const limit = readLeg(spec, params, { side, lots, type: 'LIMIT_MAKER' }, LIMIT_LEG);
  const stopType = params.has('stopLimitPrice') ? 'STOP_LOSS_LIMIT' : 'STOP_LOSS';
  const stop = readLeg(spec, params, { side, lots, type: stopType }, STOP_LEG);
  if (side === 'SELL') assertOco(limit, stop);
  else assertOco(stop, limit);
  return [limit, stop];
}

function ocoTypeOf(params: URLSearchParams, name: string): OrderType {
  const type = required(params, name);
  if (!isOrderType(type)) throw VENUE_ERRORS.invalidOrderType();
  if (type === 'LIMIT' || type === 'MARKET') throw VENUE_ERRORS.ocoTypeRejected();
  return type;
}

/** The leg that rests in the book comes first, because the first leg holds what the list locks. */
function legsOf(above: OrderRequest, below: OrderRequest): OrderListRequest['legs'] {
  return below.type === 'LIMIT_MAKER' ? [below, above] : [above, below];
}

/** Checks that each leg is on its side of the price. */
function assertOco(above: OrderRequest, below: OrderRequest): void {
  if (above.type === 'LIMIT_MAKER' && below.type === 'LIMIT_MAKER') throw VENUE_ERRORS.ocoBothLimit();
  const isSale = above.side === 'SELL';
  if (isSale) {
    if (below.type === 'LIMIT_MAKER') throw VENUE_ERRORS.ocoSellLimitBelow();
    if (isStopLoss(above.type)) throw VENUE_ERRORS.ocoSellStopLossAbove();
    if (!isStopLoss(below.type)) throw VENUE_ERRORS.ocoSellTakeProfitBelow();
  } else {
    if (above.type === 'LIMIT_MAKER') throw VENUE_ERRORS.ocoBuyLimitAbove();
    if (isStopLoss(below.type)) throw VENUE_ERRORS.ocoBuyStopLossBelow();
    if (!isStopLoss(above.type)) throw VENUE_ERRORS.ocoBuyTakeProfitAbove();
  }
  const [upper, lower] = [triggerOf(above), triggerOf(below)];
  if (upper > 0 && lower > 0 && upper <= lower) throw VENUE_ERRORS.ocoPrices();
}

function isStopLoss(type: OrderType): boolean {
  return type === 'STOP_LOSS' || type === 'STOP_LOSS_LIMIT';
}

/** Returns the price at which a leg starts to work or rests; 0 for a trailing stop without a stop price. */
function triggerOf({ type, stopTicks, priceTicks }: OrderRequest): number {
  return isStop(type) || isStopMarket(type) || !isLimit(type) ? stopTicks : priceTicks;
}

/** Cancels both legs. @throws VenueError -2011 if the list is unknown or done */
function cancelList({ exchange }: VenueContext, account: Account, params: URLSearchParams): object {
  const { state } = exchange;
  const spec = symbolOf(params);
  const cancelId = readClientOrderId(params);
  const list = findList({ exchange }, account, params, 'listClientOrderId');
  if (list === undefined || list.symbol !== spec.id || !state.isListOpen(list))
    throw VENUE_ERRORS.cancelUnknown();
  const legs = state.legsOf(list);
  const open = legs.find(({ status }) => status === 'NEW' || status === 'PARTIALLY_FILLED');
  if (open !== undefined) exchange.cancel(open, cancelId);
  return listView(list, legs, cancelId, 'CANCELED');
}

function findList(
  { exchange: { state } }: Pick<VenueContext, 'exchange'>,
  account: Account,
  params: URLSearchParams,
  clientIdName: string,
): OrderList | undefined {
  const id = integerOf(params, 'orderListId');
  const clientListId = params.get(clientIdName);
  if (id === undefined && clientListId === null) throw VENUE_ERRORS.missingBoth(clientIdName, 'orderListId');
  return state
    .listsOf(account.id)
    .findLast(
      (list) =>
        (id === undefined || list.id === id) && (clientListId === null || list.clientListId === clientListId),
    );
}

function legNames(prefix: 'above' | 'below'): LegNames {
  return {
    price: `${prefix}Price`,
    stopPrice: `${prefix}StopPrice`,
    trailingDelta: `${prefix}TrailingDelta`,
    timeInForce: `${prefix}TimeInForce`,
    icebergQty: `${prefix}IcebergQty`,
    clientOrderId: `${prefix}ClientOrderId`,
  };
}

function valuesOf(names: LegNames): string[] {
  return Object.values(names).filter((name) => name !== '');
}
