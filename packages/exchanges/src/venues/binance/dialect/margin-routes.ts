/** The REST API of cross margin: https://developers.binance.com/docs/margin_trading */
import { z } from 'zod';
import type { Route } from '../../../../conformance/scripted/dialect.js';
import { callsOf } from './calls.js';
import { integer, isWithin, NOTHING, range } from './common.js';
import { findOrder, openOrders, openOrdersRequest, orderKey } from './orders.js';
import { fillsRequest, listFills, orderRequest, placeOrder } from './spot-routes.js';
import { listenTokenOf } from './spot-streams.js';
import {
  cancelledMarginOrder,
  marginAccount,
  marginFill,
  marginOrder,
  placedMarginOrder,
} from './spot-views.js';

const MONTH_MS = 30 * 86_400_000;
const account = 'Spot/Account';
const trading = 'Spot/Trading';

const marginCall = callsOf({
  base: '/sapi/v1/',
  page: 'https://developers.binance.com/docs/margin_trading',
  tradingTypes: ['margin'],
  isSigned: true,
});

const isIsolated = z.literal('FALSE');
const SIDE_EFFECTS = {
  NO_SIDE_EFFECT: { borrows: false, repays: false },
  MARGIN_BUY: { borrows: true, repays: false },
  AUTO_REPAY: { borrows: false, repays: true },
  AUTO_BORROW_REPAY: { borrows: true, repays: true },
} as const;
const sideEffectType = z.enum(['NO_SIDE_EFFECT', 'MARGIN_BUY', 'AUTO_REPAY', 'AUTO_BORROW_REPAY']);

/** Of an order that borrowed, and of one that was requested with its fills. */
const ONLY_SOMETIMES = ['fills', 'marginBuyBorrowAmount', 'marginBuyBorrowAsset'];

const orderRoutes: readonly Route[] = [
  marginCall(
    {
      method: 'POST',
      path: 'margin/order',
      capability: 'place',
      recording: `${trading}/PlaceMarginOrder`,
      documented: ONLY_SOMETIMES,
    },
    orderRequest.extend({ isIsolated, sideEffectType }),
    ({ exchange, account: owner, params: { isIsolated: _, sideEffectType: effect, ...params } }) =>
      placedMarginOrder(placeOrder(exchange, owner, params, SIDE_EFFECTS[effect])),
  ),
  marginCall(
    { method: 'GET', path: 'margin/order', capability: 'find', recording: `${trading}/GetMarginOrder` },
    orderKey.extend({ isIsolated }),
    ({ exchange, account: owner, params }) => marginOrder(findOrder(exchange, owner, params)),
  ),
  marginCall(
    {
      method: 'DELETE',
      path: 'margin/order',
      capability: 'cancel',
      recording: `${trading}/CancelMarginOrder`,
    },
    orderKey.extend({ isIsolated }),
    ({ exchange, account: owner, params }) => {
      const order = findOrder(exchange, owner, params);
      exchange.cancel(order);
      return cancelledMarginOrder(order);
    },
  ),
  marginCall(
    {
      method: 'GET',
      path: 'margin/openOrders',
      capability: 'open orders',
      recording: `${trading}/GetOpenMarginOrders`,
    },
    openOrdersRequest.extend({ isIsolated }),
    ({ exchange, account: owner, params }) => openOrders(exchange, owner, params.symbol).map(marginOrder),
  ),
  marginCall(
    {
      method: 'GET',
      path: 'margin/myTrades',
      capability: 'fills',
      recording: `${trading}/GetMarginUserTrades`,
    },
    fillsRequest.extend({ isIsolated }),
    ({ exchange, account: owner, params }) => listFills(exchange, owner, params).map(marginFill),
  ),
];

export const marginRoutes: readonly Route[] = [
  ...orderRoutes,
  marginCall(
    {
      method: 'GET',
      path: 'margin/account',
      capability: 'balances',
      recording: `${account}/GetMarginAccountInfo`,
    },
    NOTHING,
    ({ account: owner }) => marginAccount(owner),
  ),
  marginCall(
    {
      method: 'GET',
      path: 'margin/interestHistory',
      capability: 'loans',
      recording: `${account}/GetMarginInterestHistory`,
      // Of isolated margin alone.
      documented: ['rows.isolatedSymbol'],
    },
    z
      .strictObject({ ...range, current: integer.min(1), size: integer.max(100) })
      .refine(({ startTime = 0, endTime = 0 }) => endTime - startTime <= MONTH_MS),
    ({ exchange, account: owner, params: { current, size, ...times } }) => {
      const charged = exchange.interests.filter(
        (charge) => charge.account === owner && isWithin(charge.at, times),
      );
      const page = [...charged].reverse().slice((current - 1) * size, current * size);
      const rows = page.map(({ number, asset, amount, rate, principal, at }) => ({
        txId: number,
        interestAccuredTime: at,
        asset,
        rawAsset: asset,
        principal: principal.toString(),
        interest: amount.toString(),
        interestRate: rate.toString(),
        type: 'PERIODIC',
      }));
      return { rows, total: charged.length };
    },
  ),
  marginCall(
    { method: 'POST', path: 'userListenToken', capability: 'stream login' },
    NOTHING,
    ({ exchange, account: { number } }) => ({
      token: listenTokenOf(number),
      expirationTime: exchange.now() + 86_400_000,
    }),
  ),
];
