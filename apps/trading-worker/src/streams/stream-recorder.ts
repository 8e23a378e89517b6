import type { VenuePosition } from '@trading-automation/exchanges';
import type { StreamBalances } from '../exchange/balance-store.js';
import type { BalanceSync } from '../exchange/balance-sync.js';
import type { PositionSync } from '../exchange/position-sync.js';
import type { StreamState } from './account-streams.js';
import type { OrderUpdate, OrderUpdateWriter } from './order-update-writer.js';
import type { StreamStates } from './stream-states.js';

/** Stores the orders, balances and positions that account streams report. */
export class StreamRecorder {
  /** The last order of each account, while it is being stored. */
  private readonly ordersBeingStored = new Map<string, Promise<void>>();

  constructor(
    private readonly orderUpdates: OrderUpdateWriter,
    private readonly balanceSync: BalanceSync,
    private readonly positions: PositionSync,
    private readonly states: StreamStates,
  ) {}

  /** Whether this worker sent the order at or after an instant of `performance.now()`. */
  wasSentSince(accountId: string, venueClientOrderId: string, sinceMs: number): boolean {
    return this.orderUpdates.wasSentSince(accountId, venueClientOrderId, sinceMs);
  }

  /** Registers that the account's stream connected. What it does not report is then read again. */
  recordConnected(accountId: string): void {
    this.states.addConnected(accountId);
  }

  /** Registers that the account paid or received funding. The payment is then read. */
  recordFunding(accountId: string): void {
    this.states.addFunded(accountId);
  }

  /** Stores an order in the background. If that fails, the account is reconciled. */
  recordOrder(update: OrderUpdate): void {
    const { accountId } = update;
    const stored = this.orderUpdates
      .add(update)
      .catch((error) => this.states.reconcileUnstored(accountId, error));
    this.ordersBeingStored.set(accountId, stored);
    void stored.then(() => {
      if (this.ordersBeingStored.get(accountId) === stored) this.ordersBeingStored.delete(accountId);
    });
  }

  /**
   * Stores balances in the background, after the orders that the stream reported before them. Otherwise an order that
   * the balances already contain would be subtracted from them once more.
   */
  recordBalances(accountId: string, update: StreamBalances): void {
    this.afterOrders(accountId, () => this.balanceSync.onStreamUpdate(accountId, update));
  }

  /**
   * Stores positions in the background, after the orders that the stream reported before them and shortly after them.
   * The result of a closed position then contains its last fills.
   */
  recordPositions(accountId: string, positions: readonly VenuePosition[], at: Date): void {
    const store = () => this.positions.onStreamUpdate(accountId, positions, at);
    void this.positions.hold().then(() => this.afterOrders(accountId, store));
  }

  private afterOrders(accountId: string, store: () => void): void {
    const orders = this.ordersBeingStored.get(accountId);
    if (orders === undefined) store();
    else void orders.then(store);
  }

  recordState(accountId: string, state: StreamState, error: unknown): void {
    this.states.record(accountId, state, error);
  }
}
