import type { OverdueDelivery, WebhookDeliveriesService } from '@trading-automation/core/webhooks';
import type { Logger } from '@trading-automation/runtime';
import type { DeliveryCounters } from '../metrics/delivery-counters.js';
import type { AttemptQueue } from './attempt-queue.js';

const PAGE_SIZE = 500;

/** Finds deliveries that are still due although their job had enough time to run, and adds jobs for them. */
export class OverdueDeliveries {
  constructor(
    private readonly deliveries: WebhookDeliveriesService,
    private readonly queue: AttemptQueue,
    private readonly counters: DeliveryCounters,
    private readonly logger: Logger,
  ) {}

  /** Adds a job for each delivery that has been due for `graceMs`, page by page until `signal` is aborted. */
  async addJobs(graceMs: number, signal: AbortSignal): Promise<void> {
    let after: OverdueDelivery | undefined;
    let count = 0;
    do {
      const page = await this.deliveries.overdue({ graceMs, limit: PAGE_SIZE, after });
      if (page.length > 0) await this.queue.addDuplicate(page);
      for (const { lost } of page) this.counters.countRepair(lost);
      count += page.length;
      after = page.length < PAGE_SIZE ? undefined : page.at(-1);
    } while (after !== undefined && !signal.aborted);
    if (count > 0)
      this.logger.info(
        { event: 'deliveries.overdue', deliveries: count },
        'Added jobs for overdue deliveries.',
      );
  }
}
