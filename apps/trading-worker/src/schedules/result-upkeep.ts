import type { DailyRollups, EquitySnapshots } from '@trading-automation/core/analytics';
import type { FeeValuation } from '@trading-automation/core/trades';

/** Keeps the rows up to date from which results are read. */
export class ResultUpkeep {
  constructor(
    private readonly snapshots: EquitySnapshots,
    private readonly rollups: DailyRollups,
    private readonly feeValuation: FeeValuation,
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
}
