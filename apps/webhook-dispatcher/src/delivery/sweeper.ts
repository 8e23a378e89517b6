import { setTimeout as sleep } from 'node:timers/promises';
import type { OverdueDelivery, WebhookDeliveriesService } from '@trading-automation/core/webhooks';
import type { Logger } from '@trading-automation/runtime';
import type { DeliveryCounters } from '../metrics/delivery-counters.js';
import type { Admission } from './admission.js';
import type { AttemptQueue } from './attempt-queue.js';

const PAGE = 500;
/** A delivery is overdue when most of a turn has passed since it fell due: its job had the time to come. */
const GRACE_PER_TURN = 2 / 3;

/**
 * Gives a job to whatever Postgres says is overdue: after a lost Redis, a dead dispatcher, a missed notification. What
 * is parked and has room is admitted, should nobody have done so.
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

  /** The first turn begins at once: what a former process left is not made to wait. */
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
        this.logger.warn({ err: error }, 'a sweep failed');
      }
      await sleep(this.sweepMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async sweep(): Promise<void> {
    const graceMs = this.sweepMs * GRACE_PER_TURN;
    let after: OverdueDelivery | undefined;
    let count = 0;
    do {
      const page = await this.deliveries.overdue({ graceMs, limit: PAGE, after });
      if (page.length > 0) await this.queue.addDuplicate(page);
      for (const { lost } of page) this.counters.countRepair(lost);
      count += page.length;
      after = page.length < PAGE ? undefined : page.at(-1);
    } while (after !== undefined && !this.stopping.signal.aborted);
    if (count > 0) this.logger.info({ deliveries: count }, 'overdue deliveries found');
    this.admission.requestCheck(await this.deliveries.parkedUsers());
  }
}
