import { isOpen, type Order } from './order.js';
import type { OrderRequest } from './order.rules.js';

/**
 * Two orders of which one cancels the other (OCO). Their status is that of the list, so a list never changes.
 *
 * 1. The legs lock one amount together: the larger one of both. The first leg holds it until the second one starts to work.
 * 2. The first fill of a leg, or its trigger, expires the other leg. A cancellation of a leg cancels both.
 */
export interface OrderList {
  readonly id: number;
  readonly accountId: string;
  readonly symbol: string;
  readonly clientListId: string;
  readonly orderIds: readonly number[];
  readonly createdAt: number;
}

/** A new list. The first leg is the one that rests in the book, if there is one. */
export interface OrderListRequest {
  readonly clientListId: string;
  readonly legs: readonly [OrderRequest, OrderRequest];
}

export function isListOpen(legs: readonly Order[]): boolean {
  return legs.some(isOpen);
}
