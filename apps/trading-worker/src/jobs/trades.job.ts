import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject } from '@nestjs/common';
import type { Job } from 'bullmq';
import { Desks } from '../desk/desks.js';

export const TRADES_QUEUE = 'trades';

/** A job holds ids alone; everything else is in Postgres. */
export interface TradeJob {
  readonly trade_id: string;
}

@Processor(TRADES_QUEUE, { concurrency: 16, lockDuration: 45_000, maxStalledCount: 1_000 })
export class TradesJob extends WorkerHost {
  constructor(@Inject(Desks) private readonly desks: Desks) {
    super();
  }

  async process(job: Job<TradeJob>): Promise<void> {
    await this.desks.trades.submit(job.data.trade_id);
  }
}
