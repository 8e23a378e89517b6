import { setTimeout as sleep } from 'node:timers/promises';
import type { OverdueDelivery, WebhookDeliveriesService } from '@trading-automation/core/webhooks';
import type { Logger } from '@trading-automation/runtime';
import type { DeliveryCounters } from '../metrics/delivery-counters.js';
import type { Admission } from './admission.js';
import type { AttemptQueue } from './attempt-queue.js';

const PAGE = 500;
/** The share of the interval after which a due delivery is overdue: its job had the time to arrive. */
const GRACE_PER_SWEEP = 2 / 3;

/**
 * Adds jobs for deliveries that are overdue in Postgres, after a lost Redis, a dead dispatcher or a missed
 * notification. Also admits parked deliveries for which capacity is free.
 */
export class Sweeper {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(
    private readonly deliveries: WebhookDeliveriesService,
    private readonly queue: AttemptQueue,
    private readonly admission: Admission,
    private readonly counters: DeliveryCounters,
    private readonly logger: Logger,
    private readonly sweepMs: number,
  ) {}

  /** Starts the first sweep immediately: what an earlier process left over does not wait. */
  start(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.sweep();
      } catch (error) {
        this.logger.warn({ event: 'sweep.failed', err: error }, 'A sweep failed; the next one tries again.');
      }
      await sleep(this.sweepMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async sweep(): Promise<void> {
    const graceMs = this.sweepMs * GRACE_PER_SWEEP;
    let after: OverdueDelivery | undefined;
    let count = 0;
    do {
      const page = await this.deliveries.overdue({ graceMs, limit: PAGE, after });
      if (page.length > 0) await this.queue.addDuplicate(page);
      for (const { lost } of page) this.counters.countRepair(lost);
      count += page.length;
      after = page.length < PAGE ? undefined : page.at(-1);
    } while (after !== undefined && !this.stopping.signal.aborted);
    if (count > 0)
      this.logger.info(
        { event: 'deliveries.overdue', deliveries: count },
        'Added jobs for overdue deliveries.',
      );
    this.admission.requestCheck(await this.deliveries.parkedUsers());
  }
}
