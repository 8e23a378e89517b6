import type { OwnedAccount } from '@trading-automation/core/exchange-accounts';
import type { AccountExposure } from '@trading-automation/core/trades';
import {
  type Balances,
  type CallPurpose,
  type ExchangeClient,
  ExchangeError,
  type VenueFill,
  type VenueOrder,
  type VenuePosition,
} from '@trading-automation/exchanges';
import type { AccountClients, OpenAccount } from '../exchange/account-clients.js';
import type { AccountReconciler, ReconcileSummary } from './account-reconciler.js';
import type { StreamState } from './account-streams.js';
import { FillSequence } from './fill-sequence.js';
import { SeenChanges } from './seen-changes.js';
import type { StreamRecorder } from './stream-recorder.js';

/** Gives a supervisor access to one owned account: to its client, its reconciliation and the recorder of its stream. */
export class AccountSession {
  private open: OpenAccount | undefined;
  private stateReportedAtMs = performance.now();
  private seen = new SeenChanges();
  private sequence = new FillSequence();
  /** When the stream connected; infinite while it is not connected. */
  private connectedAtMs = Number.POSITIVE_INFINITY;
  /** The pairs that the last reconciliation found changed. */
  private changedSymbols: readonly string[] = [];

  constructor(
    readonly account: OwnedAccount,
    private readonly clients: AccountClients,
    private readonly reconciler: AccountReconciler,
    private readonly recorder: StreamRecorder,
  ) {}

  /** The time since the state was last reported. */
  get stateAgeMs(): number {
    return performance.now() - this.stateReportedAtMs;
  }

  async connect(): Promise<ExchangeClient> {
    this.seen = new SeenChanges();
    this.sequence = new FillSequence();
    this.connectedAtMs = Number.POSITIVE_INFINITY;
    this.open = await this.clients.openOwned(this.account);
    return this.open.client;
  }

  onConnected(): void {
    this.connectedAtMs = performance.now();
    this.recorder.recordConnected(this.account.accountId);
  }

  /** Whether this worker sent the order since the stream connected, so that the stream reports all of its events. */
  wasSentSinceConnected({ venueClientOrderId }: VenueOrder): boolean {
    return this.recorder.wasSentSince(this.account.accountId, venueClientOrderId, this.connectedAtMs);
  }

  /** Returns what depends on the state of the account. */
  exposure(): Promise<AccountExposure> {
    return this.reconciler.exposureOf(this.account);
  }

  async reconcile(client: ExchangeClient, purpose: CallPurpose): Promise<ReconcileSummary> {
    const summary = await this.reconciler.run(this.account, client.as(purpose), this.changedSymbols);
    this.changedSymbols = summary.changedSymbols;
    return summary;
  }

  /** Stores a report. Returns false if the connection did not report a fill before it. */
  onOrder(order: VenueOrder, fills: readonly VenueFill[]): boolean {
    this.seen.add(order, fills);
    this.recorder.recordOrder({ accountId: this.account.accountId, order, fills });
    return this.sequence.add(order, fills);
  }

  onBalances(balances: Balances, at: Date): void {
    const seen = this.seen.of(at);
    this.recorder.recordBalances(this.account.accountId, { balances, at, seen });
  }

  onPositions(positions: readonly VenuePosition[], at: Date): void {
    this.recorder.recordPositions(this.account.accountId, positions, at);
  }

  onFunding(): void {
    this.recorder.recordFunding(this.account.accountId);
  }

  /** Records the state. Deactivates the account if the exchange rejected its credentials. */
  onState(state: StreamState, error?: unknown): void {
    this.reportState(state, error);
    if (error instanceof ExchangeError && this.open !== undefined)
      this.clients
        .onExchangeError(this.open.account, error)
        .catch((failure) => this.reportState(state, failure));
  }

  private reportState(state: StreamState, error: unknown): void {
    this.stateReportedAtMs = performance.now();
    this.recorder.recordState(this.account.accountId, state, error);
  }
}
