/** Look-ups of orders, which spot, margin and futures have in common. */
import { z } from 'zod';
import { type Account, type Order, Refusal } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { clientOrderId, idOf, integer, marketOf, orderIdOf, symbol } from './common.js';

export const orderKey = z.strictObject({
  symbol,
  orderId: integer.optional(),
  origClientOrderId: clientOrderId.optional(),
});

/** @throws {Refusal} if the account has no order with these ids */
export function findOrder(exchange: ScriptedExchange, owner: Account, key: z.output<typeof orderKey>): Order {
  if (key.orderId === undefined && key.origClientOrderId === undefined) throw new Refusal('BAD_PARAMETER');
  marketOf(exchange, key.symbol);
  const found = exchange.orders.findLast(
    (order) =>
      order.account === owner &&
      idOf(order.market) === key.symbol &&
      (key.orderId === undefined || orderIdOf(order) === key.orderId) &&
      (key.origClientOrderId === undefined || order.clientOrderId === key.origClientOrderId),
  );
  if (found === undefined) throw new Refusal('UNKNOWN_ORDER');
  return found;
}

export const openOrdersRequest = z.strictObject({ symbol: symbol.optional() });

export const openOrders = (
  exchange: ScriptedExchange,
  owner: Account,
  name: string | undefined,
): readonly Order[] =>
  exchange.openOrdersOf(owner).filter(({ market }) => name === undefined || idOf(market) === name);
