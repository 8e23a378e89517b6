/**
 * Stores the order reports of exchanges, from streams, responses and checks. Reports that arrive while a batch is being
 * written form the next batch. Balances of accounts whose trades changed are read again.
 *
 * 1. Orders that this worker sent are recognised by their venue client order id, which was registered here before they
 *    were sent. Core recognises or adopts all other orders.
 * 2. Repeated and late reports are passed to core as well; its rules ignore them.
 */

import { Batcher } from '@trading-automation/core';
import type { TradeExecution, TradeForExecution } from '@trading-automation/core/trades';
import type { ExchangeClient, VenueFill, VenueOrder } from '@trading-automation/exchanges';
import type { BalanceSync } from '../exchange/balance-sync.js';
import type { OrderFills, PlacedOrder } from '../exchange/order-fills.js';
import type { RestingOrderChecker } from '../exchange/resting-order-checker.js';

export interface OrderUpdate {
  readonly accountId: string;
  readonly order: VenueOrder;
  readonly fills: readonly VenueFill[];
  /** Whether the order's fills are being read. The balances are then read after them. Default: false. */
  readonly fillsFollow?: boolean;
}

/**
 * The number of recent orders whose trade ids are kept. Reports usually arrive soon after an order is sent; core
 * recognises older orders.
 */
const REGISTERED_MAX = 50_000;
/** The maximum number of reports in a batch. Most orders have three: the response, the acceptance and the fill. */
const BATCH_MAX = 600;

export class OrderUpdateWriter {
  private readonly sent = new Map<string, { readonly tradeId: string; readonly atMs: number }>();
  private readonly confirmations = new Map<string, () => void>();
  private readonly batcher: Batcher<OrderUpdate>;

  constructor(
    private readonly execution: TradeExecution,
    private readonly fills: OrderFills,
    private readonly balanceSync: BalanceSync,
    private readonly restingOrders: RestingOrderChecker,
  ) {
    this.batcher = Batcher.of((updates) => this.store(updates), BATCH_MAX);
  }

  /** Registers an order before it is sent, because a stream may report it before the response arrives. */
  registerOrder(accountId: string, venueClientOrderId: string, tradeId: string): void {
    const key = orderKey(accountId, venueClientOrderId);
    this.sent.delete(key);
    this.sent.set(key, { tradeId, atMs: performance.now() });
    if (this.sent.size <= REGISTERED_MAX) return;
    const [oldest] = this.sent.keys();
    if (oldest !== undefined) this.sent.delete(oldest);
  }

  /** Whether an order was registered at or after an instant of `performance.now()`. */
  wasSentSince(accountId: string, venueClientOrderId: string, sinceMs: number): boolean {
    const sent = this.sent.get(orderKey(accountId, venueClientOrderId));
    return sent !== undefined && sent.atMs >= sinceMs;
  }

  /**
   * Calls `onConfirmed` when a stream's report or a check's result about this order is stored. Returns a function that
   * ends the subscription.
   */
  onConfirmation(accountId: string, venueClientOrderId: string, onConfirmed: () => void): () => void {
    const key = orderKey(accountId, venueClientOrderId);
    this.confirmations.set(key, onConfirmed);
    return () => {
      if (this.confirmations.get(key) === onConfirmed) this.confirmations.delete(key);
    };
  }

  /** Resolves when the report is stored. */
  add(update: OrderUpdate): Promise<void> {
    return this.batcher.add(update);
  }

  /**
   * Stores the response to a submitted order, then its fills if they have to be read. The response confirms the order, so
   * the account's next order does not wait for that read.
   */
  async storePlaced(accountId: string, client: ExchangeClient, placed: PlacedOrder): Promise<void> {
    const fillsFollow = this.fills.mustRead(accountId, placed);
    await this.add({ accountId, order: placed, fills: placed.fills ?? [], fillsFollow });
    if (!fillsFollow) return;
    const fills = await this.fills.readPlaced(client, placed);
    if (fills.length > 0) await this.add({ accountId, order: placed, fills });
    else this.balanceSync.onBalanceChange(accountId);
  }

  /** Stores the state of a trade's order that a check found at the exchange. */
  async storeFound(trade: TradeForExecution, client: ExchangeClient, order: VenueOrder): Promise<void> {
    const hasNewFills = order.filledAmount !== '0' && order.filledAmount !== trade.filledAmount;
    const fills = hasNewFills ? await this.fills.readFound(trade.accountId, client, order) : [];
    const isChanged = await this.execution.storeOrder(trade.id, order, fills);
    this.confirmations.get(orderKey(trade.accountId, order.venueClientOrderId))?.();
    if (isChanged && !hasNewFills) this.fills.expectOrder(trade.accountId, order);
    if (isChanged) this.balanceSync.onBalanceChange(trade.accountId);
    else if (order.status === 'OPEN' && !hasNewFills) this.restingOrders.markResting(trade.id);
  }

  drain(): Promise<void> {
    return this.batcher.drain();
  }

  private async store(updates: readonly OrderUpdate[]): Promise<void> {
    const ours = updates.flatMap((update) => {
      const tradeId = this.sent.get(orderKey(update.accountId, update.order.venueClientOrderId))?.tradeId;
      return tradeId === undefined ? [] : [{ ...update, tradeId }];
    });
    const changed = new Set<string>();
    if (ours.length > 0) {
      const stored = await this.execution.storeOrders(ours);
      for (const { accountId, tradeId, order, fillsFollow = false } of ours) {
        if (stored.has(tradeId) && !fillsFollow) changed.add(accountId);
        this.confirmations.get(orderKey(accountId, order.venueClientOrderId))?.();
      }
    }
    for (const [accountId, others] of this.unregisteredByAccount(updates)) {
      const orders = others.map(({ order }) => order);
      const fills = others.flatMap((each) => each.fills);
      const stored = await this.execution.adopt(accountId, orders, fills);
      if (stored.length > 0) changed.add(accountId);
    }
    for (const accountId of changed) this.balanceSync.onBalanceChange(accountId);
  }

  private unregisteredByAccount(updates: readonly OrderUpdate[]): Map<string, OrderUpdate[]> {
    const others = new Map<string, OrderUpdate[]>();
    for (const each of updates) {
      if (this.sent.has(orderKey(each.accountId, each.order.venueClientOrderId))) continue;
      others.set(each.accountId, [...(others.get(each.accountId) ?? []), each]);
    }
    return others;
  }
}

const orderKey = (accountId: string, venueClientOrderId: string) => `${accountId} ${venueClientOrderId}`;
