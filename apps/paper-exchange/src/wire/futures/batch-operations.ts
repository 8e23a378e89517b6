import type { Account } from '../../engine/order.js';
import { VENUE_ERRORS, VenueError } from '../../errors.js';
import { accountOperation, type Operation } from '../operation.js';
import { placed } from '../order-operations.js';
import { assertParams, required } from '../params.js';
import { contractParam, type FuturesContext } from './futures-context.js';
import { AMEND_PARAMS, amendOrder, cancelOrder, placeOrder } from './futures-order-operations.js';
import { ORDER_PARAMS } from './futures-order-params.js';

const MAX_PLACED = 5;
const MAX_CANCELED = 10;

/** Declares the operations on several futures orders. One that fails has its error in the list of results. */
export function batchOperations(context: FuturesContext): Operation[] {
  const each =
    (names: readonly string[], run: (account: Account, params: URLSearchParams) => object) =>
    (account: Account, params: URLSearchParams): object[] => {
      const known = new Set(names);
      return readBatch(params).map((order) =>
        attempt(() => {
          assertParams(order, known, 'PUBLIC');
          return run(account, order);
        }),
      );
    };
  const place = each(ORDER_PARAMS, (account, order) => placeOrder(context, account, order));
  const amend = each(AMEND_PARAMS, (account, order) => amendOrder(context, account, order));
  return [
    accountOperation('POST /fapi/v1/batchOrders', { params: ['batchOrders'] }, (call) =>
      placed(context, call, place, readBatch(call.params).length),
    ),
    accountOperation('PUT /fapi/v1/batchOrders', { params: ['batchOrders'] }, (call) =>
      placed(context, call, amend, readBatch(call.params).length),
    ),
    accountOperation(
      'DELETE /fapi/v1/batchOrders',
      { params: ['symbol', 'orderIdList', 'origClientOrderIdList'] },
      ({ account, params }) => {
        const symbol = contractParam(params).id;
        return readIds(params).map(([name, id]) =>
          attempt(() => cancelOrder(context, account, new URLSearchParams({ symbol, [name]: id }))),
        );
      },
    ),
  ];
}

function attempt(action: () => object): object {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof VenueError)) throw error;
    return { code: error.code, msg: error.message };
  }
}

/** Reads a JSON list of orders, whose values may be strings, numbers or booleans. */
function readBatch(params: URLSearchParams): URLSearchParams[] {
  const orders = readList(params, 'batchOrders', MAX_PLACED);
  return orders.map((order) => {
    if (typeof order !== 'object' || order === null) throw VENUE_ERRORS.malformed('batchOrders');
    return new URLSearchParams(
      Object.entries(order).map(([name, value]): [string, string] => [name, String(value)]),
    );
  });
}

function readIds(params: URLSearchParams): [name: string, id: string][] {
  const [list, name] = params.has('orderIdList')
    ? ['orderIdList', 'orderId']
    : ['origClientOrderIdList', 'origClientOrderId'];
  return readList(params, list, MAX_CANCELED).map((id) => [name, String(id)]);
}

function readList(params: URLSearchParams, name: string, most: number): unknown[] {
  let list: unknown;
  try {
    list = JSON.parse(required(params, name));
  } catch (error) {
    if (error instanceof VenueError) throw error;
    throw VENUE_ERRORS.malformed(name);
  }
  if (!Array.isArray(list) || list.length === 0 || list.length > most) throw VENUE_ERRORS.malformed(name);
  return list;
}
