import { setTimeout as sleep } from 'node:timers/promises';
import { ExchangeError, type VenuePosition } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import type { StreamBalances } from '../exchange/balance-store.js';
import type { BalanceSync } from '../exchange/balance-sync.js';
import type { PositionSync } from '../exchange/position-sync.js';
import type { AccountStreams, StreamState } from './account-streams.js';
import type { OrderUpdate, OrderUpdateWriter } from './order-update-writer.js';

const STREAM_FAILED = 'The account stream was lost, or the account could not be reconciled; trying again.';

/** Some exchanges report a position before the fill that changed it. */
const POSITION_HOLD_MS = 200;
const holdPosition = () => sleep(POSITION_HOLD_MS, undefined, { ref: false });

/** Stores the orders, balances and positions that account streams report, and logs the streams' states. */
export class StreamRecorder {
  /** The last order of each account, while it is being stored. */
  private readonly ordersBeingStored = new Map<string, Promise<void>>();

  constructor(
    private readonly orderUpdates: OrderUpdateWriter,
    private readonly balanceSync: BalanceSync,
    private readonly positions: Pick<PositionSync, 'onStreamUpdate'>,
    private readonly streams: AccountStreams,
    private readonly logger: Logger,
    /** Resolves when a reported position may be stored. */
    private readonly hold: () => Promise<void> = holdPosition,
  ) {}

  /** Whether this worker sent the order at or after an instant of `performance.now()`. */
  wasSentSince(accountId: string, venueClientOrderId: string, sinceMs: number): boolean {
    return this.orderUpdates.wasSentSince(accountId, venueClientOrderId, sinceMs);
  }

  /** Registers that the account's stream connected. What it does not report is then read again. */
  recordConnected(accountId: string): void {
    this.streams.addConnected(accountId);
  }

  /** Stores an order in the background. If that fails, the account is reconciled. */
  recordOrder(update: OrderUpdate): void {
    const { accountId } = update;
    const stored = this.orderUpdates.add(update).catch((error) => {
      this.logger.error(
        { event: 'order_update.not_stored', err: error, account_id: accountId },
        'Could not store an order from the account stream; reconciling the account.',
      );
      this.streams.reconcileSoon(accountId);
    });
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
    void this.hold().then(() => this.afterOrders(accountId, store));
  }

  private afterOrders(accountId: string, store: () => void): void {
    const orders = this.ordersBeingStored.get(accountId);
    if (orders === undefined) store();
    else void orders.then(store);
  }

  /** Logs the state of a stream, with the error that caused it, if any. */
  recordState(accountId: string, state: StreamState, error: unknown): void {
    const { logger } = this;
    if (error === undefined) {
      logger.debug(
        { event: 'account_stream.state_changed', account_id: accountId, state },
        'The state of the account stream changed.',
      );
    } else if (error instanceof ExchangeError) {
      const { outcome, code } = error;
      logger.warn(
        { event: 'account_stream.failed', account_id: accountId, state, outcome, code },
        STREAM_FAILED,
      );
    } else {
      logger.warn(
        { event: 'account_stream.failed', err: error, account_id: accountId, state },
        STREAM_FAILED,
      );
    }
  }
}
