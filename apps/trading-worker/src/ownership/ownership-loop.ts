import { type Platform, startHeartbeat } from '@trading-automation/core';
import {
  ACCOUNT_OWNERS_CHANNEL,
  LEASE_RENEWAL_MS,
  SESSION_LOST_AFTER_MS,
} from '@trading-automation/core/exchange-accounts';
import { ACCOUNT_WORK_CHANNEL } from '@trading-automation/core/trades';
import type { ExchangeGateway } from '../exchange/exchange-gateway.js';
import { type Loop, startLoop } from '../schedules/loop.js';

/** The delay between the release of accounts and the next claim, so that many releases cause only one claim. */
const CLAIM_AFTER_MS = 50;

/** Sends the worker's heartbeat, keeps its share of the accounts, and starts streams and submissions for them. */
export class OwnershipLoop {
  private stopHeartbeat: () => void = () => undefined;
  private loops: readonly Loop[] = [];
  private unsubscribe: readonly (() => void)[] = [];
  private claimSoon: NodeJS.Timeout | undefined;
  private claiming: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    private readonly platform: Platform,
    private readonly gateway: ExchangeGateway,
    private readonly onError: (error: unknown) => void,
    /** Called after each renewal and claim, with the number of workers that share the limits of the exchanges. */
    private readonly onWorkerCount: (workers: number) => void = () => undefined,
  ) {}

  start(): void {
    const { listener } = this.platform;
    const { orderSubmitter, ownership } = this.gateway;
    this.stopHeartbeat = startHeartbeat(this.platform, 'trading-worker');
    this.loops = [startLoop(LEASE_RENEWAL_MS, () => this.tick(), this.onError)];
    this.unsubscribe = [
      listener.subscribe(ACCOUNT_WORK_CHANNEL, (accountId) => {
        // After a reconnection, any notification may have been missed, so all accounts are checked.
        orderSubmitter.wake(accountId === undefined ? ownership.ownedAccounts().keys() : [accountId]);
      }),
      listener.subscribe(ACCOUNT_OWNERS_CHANNEL, () => this.scheduleClaim()),
    ];
  }

  /** Releases all accounts; work in flight continues. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.stopHeartbeat();
    clearTimeout(this.claimSoon);
    for (const unsubscribe of this.unsubscribe) unsubscribe();
    await Promise.all([this.claiming, ...this.loops.map((loop) => loop.stop())]);
    await this.gateway.releaseAccounts();
  }

  private async tick(): Promise<void> {
    const mayFollow = await this.gateway.renewOwnership();
    this.applyOwnership(mayFollow);
  }

  /** @param mayFollow whether more accounts can be claimed soon */
  private applyOwnership(mayFollow: boolean): void {
    if (this.isStopped) return;
    if (mayFollow) this.scheduleClaim(SESSION_LOST_AFTER_MS);
    const { ownership, supervisors } = this.gateway;
    supervisors.setAccounts(ownership.ownedAccounts());
    this.onWorkerCount(ownership.liveWorkerCount);
  }

  private scheduleClaim(afterMs = CLAIM_AFTER_MS): void {
    this.claimSoon ??= setTimeout(() => {
      this.claimSoon = undefined;
      this.claiming = this.gateway
        .claimAccounts()
        .then((mayFollow) => this.applyOwnership(mayFollow), this.onError);
    }, afterMs);
    this.claimSoon.unref();
  }
}
