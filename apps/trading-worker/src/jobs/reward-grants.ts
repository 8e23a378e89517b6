import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { RewardAccrual } from '@trading-automation/core/rewards';

/** Grants rewards while the worker runs. */
export class RewardGrants implements OnApplicationBootstrap, OnApplicationShutdown {
  private stop = async (): Promise<void> => {};

  constructor(
    private readonly accrual: RewardAccrual,
    private readonly onError: (error: unknown) => void,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.accrual.publishRewardTypes();
    const relay = this.accrual.relay(this.onError);
    relay.start();
    this.stop = () => relay.stop();
  }

  onApplicationShutdown(): Promise<void> {
    return this.stop();
  }
}
