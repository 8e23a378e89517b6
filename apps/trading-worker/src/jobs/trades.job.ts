import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject } from '@nestjs/common';
import { BLOCK_SECONDS } from '@trading-automation/core';
import type { Job } from 'bullmq';
import { Desks } from '../desk/desks.js';
import { Schedules } from '../schedules/schedules.js';
import { TRADES_QUEUE, type TradeJob } from './trade-queue.js';

@Processor(TRADES_QUEUE, {
  concurrency: 16,
  lockDuration: 45_000,
  maxStalledCount: 1_000,
  drainDelay: BLOCK_SECONDS,
})
export class TradesJob extends WorkerHost {
  constructor(
    @Inject(Desks) private readonly desks: Desks,
    @Inject(Schedules) private readonly schedules: Schedules,
  ) {
    super();
  }

  async process(job: Job<TradeJob>): Promise<void> {
    await this.desks.sendSoon(job.data.trade_id);
  }

  /** A trade whose job failed is taken up by the looks. */
  @OnWorkerEvent('failed')
  onFailed(_job: Job<TradeJob> | undefined, error: Error): void {
    this.schedules.errorsOf('a trade was not sent by its job')(error);
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.schedules.errorsOf('the queue of trades is interrupted')(error);
  }
}
