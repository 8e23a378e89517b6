import type { Platform } from '@trading-automation/core';
import { ACCOUNT_OWNERS_CHANNEL, LEASE_RENEWAL_MS } from '@trading-automation/core/exchange-accounts';
import { ACCOUNT_WORK_CHANNEL } from '@trading-automation/core/trades';
import type { ExchangeGateway } from '../exchange/exchange-gateway.js';
import { type Loop, startLoop } from '../schedules/loop.js';

/** Claims follow a release at once, but not each of a hundred by itself. */
const CLAIM_AFTER_MS = 50;

/** Keeps this worker's part of the accounts, and has each of them heard of and worked on. */
export class OwnershipLoop {
  private loops: readonly Loop[] = [];
  private unsubscribe: readonly (() => void)[] = [];
  private claimSoon: NodeJS.Timeout | undefined;
  private claiming: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    private readonly platform: Platform,
    private readonly gateway: ExchangeGateway,
    private readonly onError: (error: unknown) => void,
    /** Told after each turn of how many workers share the exchanges' limits. */
    private readonly onTurn: (workers: number) => void = () => undefined,
  ) {}

  start(): void {
    const { listener } = this.platform;
    const { orderSubmitter, ownership } = this.gateway;
    this.loops = [startLoop(LEASE_RENEWAL_MS, () => this.tick(), this.onError)];
    this.unsubscribe = [
      listener.subscribe(ACCOUNT_WORK_CHANNEL, (accountId) => {
        // After a reconnection anything may have been missed.
        orderSubmitter.wake(accountId === undefined ? ownership.ownedAccounts().keys() : [accountId]);
      }),
      listener.subscribe(ACCOUNT_OWNERS_CHANNEL, () => this.scheduleClaim()),
    ];
  }

  /** Ends the use of all accounts; what was begun on them goes on. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.claimSoon);
    for (const end of this.unsubscribe) end();
    await Promise.all([this.claiming, ...this.loops.map((loop) => loop.stop())]);
    await this.gateway.releaseAccounts();
  }

  private async tick(): Promise<void> {
    await this.gateway.renewOwnership();
    this.applyOwnership();
  }

  private applyOwnership(): void {
    if (this.isStopped) return;
    const { ownership, supervisors } = this.gateway;
    supervisors.setAccounts(ownership.ownedAccounts());
    this.onTurn(ownership.workers);
  }

  private scheduleClaim(): void {
    this.claimSoon ??= setTimeout(() => {
      this.claimSoon = undefined;
      this.claiming = this.gateway.ownership.claim().then(() => this.applyOwnership(), this.onError);
    }, CLAIM_AFTER_MS);
    this.claimSoon.unref();
  }
}
