import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { ProfitSharesService } from '@trading-automation/core/rewards';
import { type Loop, startLoop } from '../schedules/loop.js';

const SETTLE_EVERY_MS = 60_000;

/**
 * Settles the profit shares of copying users, and records the prices between quote currencies, while the worker runs.
 * Only one worker settles at a time.
 */
export class ProfitSharing implements OnApplicationBootstrap, OnApplicationShutdown {
  private loop: Loop | null = null;

  constructor(
    private readonly shares: Pick<ProfitSharesService, 'publishRewardType' | 'recordPrices' | 'settleDue'>,
    private readonly onError: (error: unknown) => void,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.shares.publishRewardType();
    this.loop = startLoop(SETTLE_EVERY_MS, () => this.settle(), this.onError);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loop?.stop();
  }

  private async settle(): Promise<void> {
    await this.shares.recordPrices();
    await this.shares.settleDue();
  }
}
