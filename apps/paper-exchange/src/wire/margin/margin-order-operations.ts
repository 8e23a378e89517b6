import { formatUnits } from '../../engine/decimal.js';
import { marginIdOf } from '../../engine/margin/margin-account.rules.js';
import type { Account, Order, SideEffect } from '../../engine/order.js';
import { VENUE_ERRORS } from '../../errors.js';
import { accountOperation, type Operation, type SignedCall, type VenueContext } from '../operation.js';
import { cancelAll, cancelOrder, findOrder, myTrades, openOrders, placed } from '../order-operations.js';
import { ORDER_PARAMS, readOrder, responseTypeOf } from '../order-params.js';
import { pageOf, readFlag, symbolOf } from '../params.js';
import { orderView, placedView } from '../views.js';
import { assertCross } from './margin-operations.js';

const SIDE_EFFECTS: readonly SideEffect[] = [
  'NO_SIDE_EFFECT',
  'MARGIN_BUY',
  'AUTO_REPAY',
  'AUTO_BORROW_REPAY',
];
const PAGE_PARAMS = ['symbol', 'isIsolated', 'orderId', 'startTime', 'endTime', 'limit'];
const ID_PARAMS = ['symbol', 'isIsolated', 'orderId', 'origClientOrderId'];
/** Every view of a margin order says that its margin is not isolated. */
const CROSS = { isIsolated: false };

/** Declares the operations on orders of cross margin accounts, which trade in the books of spot. */
export function marginOrderOperations(context: VenueContext): Operation[] {
  const { state } = context.exchange;
  const call =
    (handle: (account: Account, params: URLSearchParams) => object) =>
    ({ account, params }: SignedCall) => {
      assertCross(params);
      return handle(marginAccount(account), params);
    };
  return [
    accountOperation(
      'POST /sapi/v1/margin/order',
      { params: [...ORDER_PARAMS, 'isIsolated', 'sideEffectType', 'autoRepayAtCancel'] },
      (signed) => placed(context, signed, (account, params) => placeOrder(context, account, params)),
    ),
    accountOperation(
      'GET /sapi/v1/margin/order',
      { params: ID_PARAMS },
      call((account, params) => {
        const order = findOrder(context, account, params);
        if (order === undefined) throw VENUE_ERRORS.noSuchOrder();
        return crossView(order);
      }),
    ),
    accountOperation(
      'DELETE /sapi/v1/margin/order',
      { params: [...ID_PARAMS, 'newClientOrderId'] },
      call((account, params) => ({ ...cancelOrder(context, account, params), ...CROSS })),
    ),
    accountOperation(
      'GET /sapi/v1/margin/openOrders',
      { params: ['symbol', 'isIsolated'] },
      call((account, params) => openOrders(context, account, params).map(crossView)),
    ),
    accountOperation(
      'DELETE /sapi/v1/margin/openOrders',
      { params: ['symbol', 'isIsolated'] },
      call((account, params) => cancelAll(context, account, params).map((view) => ({ ...view, ...CROSS }))),
    ),
    accountOperation(
      'GET /sapi/v1/margin/allOrders',
      { params: PAGE_PARAMS },
      call((account, params) => {
        const { id } = symbolOf(params);
        const rows = state.ordersOf(account.id).filter(({ symbol }) => symbol === id);
        return pageOf(params, 'orderId')(rows, ({ createdAt }) => createdAt).map(crossView);
      }),
    ),
    accountOperation(
      'GET /sapi/v1/margin/myTrades',
      { params: [...PAGE_PARAMS, 'fromId'] },
      call((account, params) => myTrades(context, account, params).map((view) => ({ ...view, ...CROSS }))),
    ),
  ];
}

function marginAccount(account: Account): Account {
  return { ...account, id: marginIdOf(account.id) };
}

function crossView(order: Order): object {
  return { ...orderView(order), ...CROSS };
}

/** Places an order of the margin account. Its response names what it borrowed, if anything. */
function placeOrder({ exchange }: VenueContext, owner: Account, params: URLSearchParams): object {
  assertCross(params);
  const account = marginAccount(owner);
  const spec = symbolOf(params);
  const responseType = responseTypeOf(params);
  const sideEffect = SIDE_EFFECTS.find((name) => name === (params.get('sideEffectType') ?? 'NO_SIDE_EFFECT'));
  if (sideEffect === undefined) throw VENUE_ERRORS.invalidValue('sideEffectType');
  const keepsLoan = !readFlag(params, 'autoRepayAtCancel', true);
  const request = { ...readOrder(spec, params), sideEffect, keepsLoan };
  const asset = request.side === 'BUY' ? spec.quote : spec.base;
  const loansBefore = exchange.state.loans.changesOf(account.id).length;
  const order = exchange.place(account, spec, request);
  const borrowed = exchange.state.loans
    .changesOf(account.id)
    .slice(loansBefore)
    .find(({ type }) => type === 'BORROW');
  return {
    ...placedView(order, responseType, exchange.state.fillsOfOrder(order)),
    ...CROSS,
    ...(borrowed === undefined
      ? {}
      : { marginBuyBorrowAmount: formatUnits(borrowed.principal), marginBuyBorrowAsset: asset }),
  };
}
