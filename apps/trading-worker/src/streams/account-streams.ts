import type { AccountStreamStatus, OwnedAccount } from '@trading-automation/core/exchange-accounts';
import { fillKey } from '@trading-automation/core/trades';
import type { VenueFill, VenueOrder } from '@trading-automation/exchanges';

/**
 * - `CONNECTING`, then `REPAIRING`: connecting, then looking up and reconciling what happened before. Of orders that are
 *   sent now, the stream reports every event.
 * - `UNVERIFIED`: the stream reports every event, but what happened before it connected is not compared yet. Only
 *   accounts without open orders are in this state.
 * - `LIVE`: the stream reports every event, and the account was compared since it connected.
 * - `POLLING`: the exchange has no stream and is polled.
 * - `LOST`: no connection; the next attempt is scheduled.
 */
export type StreamState = 'CONNECTING' | 'REPAIRING' | 'UNVERIFIED' | 'LIVE' | 'POLLING' | 'LOST';

/** The supervised stream of one account. */
export interface AccountStream {
  readonly account: OwnedAccount;
  readonly state: StreamState;
  /** The time since the state was last reported. */
  readonly stateAgeMs: number;
  /** Reconciles the account within seconds instead of in the rotation. */
  reconcileSoon(): void;
  /**
   * Registers the keys of fills (`fillKey`) and orders (`orderStateKey`) that are known from another source. Until the
   * account was compared, they are expected only if `order` was sent since the stream connected.
   */
  expectReports(keys: readonly string[], order?: VenueOrder): void;
  stop(): Promise<void>;
}

/** The key of an order's state among the reports of a stream. */
export const orderStateKey = ({ symbol, exchangeOrderId, status }: VenueOrder) =>
  `order ${symbol} ${exchangeOrderId} ${status}`;

/** The supervised streams of this worker's accounts, one for each account. */
export class AccountStreams {
  private readonly streams = new Map<string, AccountStream>();
  private readonly ending = new Set<Promise<void>>();
  /** Accounts whose streams connected, by what has to be read of them because of it. */
  private readonly connected = { funding: new Set<string>(), rights: new Set<string>() };
  private funded = new Set<string>();

  add(stream: AccountStream): void {
    this.streams.set(stream.account.accountId, stream);
  }

  /** Registers that the stream of an account connected. */
  addConnected(accountId: string): void {
    for (const accountIds of Object.values(this.connected)) accountIds.add(accountId);
  }

  /** Returns the accounts whose streams connected since the last call for the same purpose. */
  takeConnected(purpose: 'funding' | 'rights'): readonly string[] {
    const accountIds = [...this.connected[purpose]];
    this.connected[purpose].clear();
    return accountIds;
  }

  /** Registers that the stream of an account reported funding. */
  addFunded(accountId: string): void {
    this.funded.add(accountId);
  }

  /** Returns the accounts whose streams reported funding since the last call. */
  takeFunded(): readonly string[] {
    const accountIds = [...this.funded];
    this.funded = new Set();
    return accountIds;
  }

  has(accountId: string): boolean {
    return this.streams.has(accountId);
  }

  /** Returns the accounts as they were when their streams started. */
  accounts(): readonly OwnedAccount[] {
    return [...this.streams.values()].map(({ account }) => account);
  }

  isLive(accountId: string): boolean {
    return this.streams.get(accountId)?.state === 'LIVE';
  }

  /** Whether the account has been or will be reconciled, because it has a stream that is not lost. */
  isSupervised(accountId: string): boolean {
    const state = this.streams.get(accountId)?.state;
    return state !== undefined && state !== 'LOST';
  }

  /** Whether the stream reports every event of orders that are sent now. */
  isReporting(accountId: string): boolean {
    const state = this.streams.get(accountId)?.state;
    return state === 'LIVE' || state === 'UNVERIFIED' || state === 'REPAIRING';
  }

  /** Whether the product learns what happens on the account without further calls for each order. */
  isWorking(accountId: string): boolean {
    return this.isReporting(accountId) || this.streams.get(accountId)?.state === 'POLLING';
  }

  /** Registers fills of an order that are known from another source. The account's live stream must report them, too. */
  expectFills(accountId: string, fills: readonly VenueFill[], order: VenueOrder): void {
    this.streams.get(accountId)?.expectReports(fills.map(fillKey), order);
  }

  /** Registers the state of an order that is known from another source. The live stream must report it, too. */
  expectOrder(accountId: string, order: VenueOrder): void {
    this.streams.get(accountId)?.expectReports([orderStateKey(order)], order);
  }

  reconcileSoon(accountId: string): void {
    this.streams.get(accountId)?.reconcileSoon();
  }

  health(): readonly (AccountStreamStatus & { readonly state: StreamState })[] {
    return [...this.streams].map(([accountId, { state, stateAgeMs }]) => ({ accountId, state, stateAgeMs }));
  }

  /** Stops the streams of these accounts in the background. */
  remove(accountIds: readonly string[]): void {
    for (const accountId of accountIds) {
      const stream = this.streams.get(accountId);
      if (stream === undefined) continue;
      this.streams.delete(accountId);
      const ended = stream.stop().finally(() => this.ending.delete(ended));
      this.ending.add(ended);
    }
  }

  /** Resolves when every stream has stopped. */
  async stop(): Promise<void> {
    this.remove([...this.streams.keys()]);
    await Promise.all(this.ending);
  }
}
