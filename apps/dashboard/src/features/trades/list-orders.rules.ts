import type { OpenOrder } from '../../data/open-orders';
import type { ListRequest } from '../../ui/data-table/columns';

/** The fields by which open orders are filtered in the browser. */
const FIELDS = ['symbol', 'side', 'exchange_account_id', 'strategy_id'] as const;

/** Returns the orders that match the filters, by the time of their creation; each order once. */
export function listOrders(orders: readonly OpenOrder[], request: ListRequest): OpenOrder[] {
  const direction = request.order === 'asc' ? 1 : -1;
  // An order that is filled in part between the two requests of the list is in both.
  const byId = new Map(orders.map((order) => [order.id, order]));
  return [...byId.values()]
    .filter((order) =>
      FIELDS.every((field) => request[field] === undefined || order[field] === request[field]),
    )
    .sort((a, b) => direction * a.created_at.localeCompare(b.created_at));
}
