/**
 * What exchanges tell of orders, from streams and from answers, on its way into the database: whatever was heard while
 * the last batch was written is the next one.
 *
 * 1. Orders that this worker sent are known by the id that was written before sending; all others are core's to
 *    recognise or to adopt.
 * 2. Told twice or out of turn, it is stored as often: core's rules make nothing of it.
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

/** Orders are heard of soon after they were sent; whatever is older is recognised by core. */
const NAMES_MAX = 50_000;
/** Most orders are told of three times: by their answer, and by the stream as they are taken and as they are filled. */
const HEARD_AT_ONCE = 600;

export class OrderUpdateWriter {
  private readonly tradeIds = new Map<string, string>();
  private readonly batcher: Batcher<OrderUpdate>;

  constructor(
    private readonly execution: Store,
    /** Told of accounts whose trades changed by what was heard. */
    private readonly onChanged: (accountId: string) => void,
  ) {
    this.batcher = Batcher.of((heard) => this.store(heard), HEARD_AT_ONCE);
  }

  /** The order of this id is this trade's. */
  registerOrder(accountId: string, venueClientOrderId: string, tradeId: string): void {
    const name = orderKey(accountId, venueClientOrderId);
    this.tradeIds.delete(name);
    this.tradeIds.set(name, tradeId);
    if (this.tradeIds.size <= NAMES_MAX) return;
    const [oldest] = this.tradeIds.keys();
    if (oldest !== undefined) this.tradeIds.delete(oldest);
  }

  /** Kept when it is stored. */
  add(heard: OrderUpdate): Promise<void> {
    return this.batcher.add(heard);
  }

  drain(): Promise<void> {
    return this.batcher.drain();
  }

  private async store(heard: readonly OrderUpdate[]): Promise<void> {
    const ours = heard.flatMap(({ accountId, order, fills }) => {
      const tradeId = this.tradeIds.get(orderKey(accountId, order.venueClientOrderId));
      return tradeId === undefined ? [] : [{ accountId, tradeId, order, fills }];
    });
    const changed = new Set<string>();
    if (ours.length > 0) {
      const stored = await this.execution.storeOrders(ours);
      for (const { accountId, tradeId } of ours) if (stored.has(tradeId)) changed.add(accountId);
    }
    for (const [accountId, others] of this.unregisteredByAccount(heard)) {
      const orders = others.map(({ order }) => order);
      const fills = others.flatMap((each) => each.fills);
      const stored = await this.execution.adopt(accountId, orders, fills);
      if (stored.length > 0) changed.add(accountId);
    }
    for (const accountId of changed) this.onChanged(accountId);
  }

  private unregisteredByAccount(heard: readonly OrderUpdate[]): Map<string, OrderUpdate[]> {
    const others = new Map<string, OrderUpdate[]>();
    for (const each of heard) {
      if (this.tradeIds.has(orderKey(each.accountId, each.order.venueClientOrderId))) continue;
      others.set(each.accountId, [...(others.get(each.accountId) ?? []), each]);
    }
    return others;
  }
}

const orderKey = (accountId: string, venueClientOrderId: string) => `${accountId} ${venueClientOrderId}`;
