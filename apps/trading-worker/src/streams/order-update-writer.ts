/**
 * Stores the order reports of exchanges, from streams and from responses. Reports that arrive while a batch is being
 * written form the next batch.
 *
 * 1. Orders that this worker sent are recognised by the id that was stored before sending. Core recognises or adopts
 *    all others.
 * 2. Repeated and late reports are stored, too: core's rules ignore them.
 */

import { Batcher } from '@trading-automation/core';
import type { TradeExecution } from '@trading-automation/core/trades';
import type { VenueFill, VenueOrder } from '@trading-automation/exchanges';

export interface OrderUpdate {
  readonly accountId: string;
  readonly order: VenueOrder;
  readonly fills: readonly VenueFill[];
}

type Store = Pick<TradeExecution, 'storeOrders' | 'adopt'>;

/** Reports arrive soon after an order is sent; core recognises older orders. */
const REGISTERED_MAX = 50_000;
/** The batch size. Most orders have three reports: the response, the acceptance and the fill. */
const BATCH_MAX = 600;

export class OrderUpdateWriter {
  private readonly tradeIds = new Map<string, string>();
  private readonly batcher: Batcher<OrderUpdate>;

  constructor(
    private readonly execution: Store,
    /** Called for accounts whose trades changed. */
    private readonly onChanged: (accountId: string) => void,
  ) {
    this.batcher = Batcher.of((updates) => this.store(updates), BATCH_MAX);
  }

  /** Registers the trade of an order id. */
  registerOrder(accountId: string, venueClientOrderId: string, tradeId: string): void {
    const key = orderKey(accountId, venueClientOrderId);
    this.tradeIds.delete(key);
    this.tradeIds.set(key, tradeId);
    if (this.tradeIds.size <= REGISTERED_MAX) return;
    const [oldest] = this.tradeIds.keys();
    if (oldest !== undefined) this.tradeIds.delete(oldest);
  }

  /** Resolves when the report is stored. */
  add(update: OrderUpdate): Promise<void> {
    return this.batcher.add(update);
  }

  drain(): Promise<void> {
    return this.batcher.drain();
  }

  private async store(updates: readonly OrderUpdate[]): Promise<void> {
    const ours = updates.flatMap(({ accountId, order, fills }) => {
      const tradeId = this.tradeIds.get(orderKey(accountId, order.venueClientOrderId));
      return tradeId === undefined ? [] : [{ accountId, tradeId, order, fills }];
    });
    const changed = new Set<string>();
    if (ours.length > 0) {
      const stored = await this.execution.storeOrders(ours);
      for (const { accountId, tradeId } of ours) if (stored.has(tradeId)) changed.add(accountId);
    }
    for (const [accountId, others] of this.unregisteredByAccount(updates)) {
      const orders = others.map(({ order }) => order);
      const fills = others.flatMap((each) => each.fills);
      const stored = await this.execution.adopt(accountId, orders, fills);
      if (stored.length > 0) changed.add(accountId);
    }
    for (const accountId of changed) this.onChanged(accountId);
  }

  private unregisteredByAccount(updates: readonly OrderUpdate[]): Map<string, OrderUpdate[]> {
    const others = new Map<string, OrderUpdate[]>();
    for (const each of updates) {
      if (this.tradeIds.has(orderKey(each.accountId, each.order.venueClientOrderId))) continue;
      others.set(each.accountId, [...(others.get(each.accountId) ?? []), each]);
    }
    return others;
  }
}

const orderKey = (accountId: string, venueClientOrderId: string) => `${accountId} ${venueClientOrderId}`;
