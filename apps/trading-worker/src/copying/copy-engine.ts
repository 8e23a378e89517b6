import type { Platform } from '@trading-automation/core';
import {
  type BookMidReader,
  CopierRiskMonitor,
  CopyPlanner,
  CopySettlement,
} from '@trading-automation/core/copiers';
import { createBalanceRefresher } from './balance-refresh.js';

/**
 * Copies signals to copiers: plans the copies, settles them and stops copiers whose losses are too large. Several
 * workers may run it concurrently: each step finds its work in the database, and each piece of work is done once.
 */
export class CopyEngine {
  private readonly planner: CopyPlanner;
  private readonly settlement: CopySettlement;
  private readonly riskMonitor: CopierRiskMonitor;

  /**
   * @param syncBalances reads the balances of one account, for copies whose balances are too old
   * @param readBookMid reads an order book, with which the prices of entries are compared
   */
  constructor(
    platform: Platform,
    syncBalances: (accountId: string) => Promise<unknown>,
    readBookMid: BookMidReader,
  ) {
    this.planner = new CopyPlanner(platform, readBookMid, {
      refreshBalances: createBalanceRefresher(syncBalances),
    });
    this.settlement = new CopySettlement(platform);
    this.riskMonitor = new CopierRiskMonitor(platform);
  }

  /** Plans copies of signals; returns true if more may be pending. */
  async plan(): Promise<boolean> {
    return (await this.planner.planNext()) > 0;
  }

  /** Settles copies; returns true if more may be pending. */
  async settle(): Promise<boolean> {
    return (await this.settlement.settleNext()) > 0;
  }

  /** Reopens the CLOSE decisions of lots whose entries filled late. Returns true if there were any. */
  async reopen(): Promise<boolean> {
    return (await this.settlement.reopen()) > 0;
  }

  /** Stops copiers whose losses exceed their limits. */
  async checkRisk(): Promise<void> {
    await this.riskMonitor.check();
  }
}
