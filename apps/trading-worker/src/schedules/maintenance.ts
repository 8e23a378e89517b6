import { type Platform, runHousekeeping } from '@trading-automation/core';
import type { DailyRollups, EquitySnapshots } from '@trading-automation/core/analytics';
import { purgeStaleOwners } from '@trading-automation/core/exchange-accounts';
import { notifyMultiplierOwners } from '@trading-automation/core/strategies';
import type { FeeValuation } from '@trading-automation/core/trades';
import type { Logger } from '@trading-automation/runtime';

/** Keeps derived rows up to date, deletes expired ones, and sends the notices that a migration left. */
export class Maintenance {
  constructor(
    private readonly platform: Platform,
    private readonly snapshots: EquitySnapshots,
    private readonly rollups: DailyRollups,
    private readonly feeValuation: FeeValuation,
    private readonly logger: Logger,
  ) {}

  async takeSnapshots(): Promise<void> {
    await this.snapshots.take();
  }

  async refreshRollups(): Promise<void> {
    await this.rollups.refresh();
  }

  async valueFees(): Promise<void> {
    await this.feeValuation.run();
  }

  async runHousekeeping(): Promise<void> {
    const removed = await runHousekeeping(this.platform);
    await notifyMultiplierOwners(this.platform.database);
    const owners = await purgeStaleOwners(this.platform);
    if (removed !== null)
      this.logger.debug(
        { event: 'housekeeping.completed', removed, owners },
        'Housekeeping deleted expired rows.',
      );
  }
}
