import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { REDIS_BLOCK_TIMEOUT_SECONDS } from '@trading-automation/core';
import type { Job } from 'bullmq';
import { ExchangeGateway } from '../exchange/exchange-gateway.js';
import { Scheduler } from '../schedules/scheduler.js';
import { TRADES_QUEUE, type TradeJob } from './trade-queue.js';

@Processor(TRADES_QUEUE, {
  concurrency: 16,
  lockDuration: 45_000,
  maxStalledCount: 1_000,
  drainDelay: REDIS_BLOCK_TIMEOUT_SECONDS,
})
export class TradesProcessor extends WorkerHost {
  constructor(
    private readonly gateway: ExchangeGateway,
    private readonly scheduler: Scheduler,
  ) {
    super();
  }

  async process(job: Job<TradeJob>): Promise<void> {
    await this.gateway.requestSubmission(job.data.trade_id);
  }

  /** Logs a failed job; the check of open trades finds the trade. */
  @OnWorkerEvent('failed')
  onFailed(_job: Job<TradeJob> | undefined, error: Error): void {
    this.scheduler.errorLogger(
      'trade_job.failed',
      'A job could not request the submission of its trade.',
    )(error);
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.scheduler.errorLogger(
      'trade_queue.unavailable',
      'Redis is unavailable; the check of open trades finds new trades instead.',
    )(error);
  }
}
