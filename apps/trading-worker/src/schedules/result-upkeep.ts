import type { DailyRollups, EquitySnapshots } from '@trading-automation/core/analytics';
import type { FundingRates } from '@trading-automation/core/funding';
import type { FeeValuation } from '@trading-automation/core/trades';

/** Keeps the rows up to date from which results are read. */
export class ResultUpkeep {
  constructor(
    private readonly snapshots: EquitySnapshots,
    private readonly rollups: DailyRollups,
    private readonly feeValuation: FeeValuation,
    private readonly fundingRates: FundingRates,
  ) {}

  async takeSnapshots(): Promise<void> {
    await this.snapshots.take();
  }

  async refreshRollups(): Promise<void> {
    await this.rollups.refresh();
  }

  async readFundingRates(): Promise<void> {
    await this.fundingRates.readDue();
  }

  async valueFees(): Promise<void> {
    await this.feeValuation.run();
  }
}
