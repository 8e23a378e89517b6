import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookDeliveriesService } from '@trading-automation/core/webhooks';
import type { Logger } from '@trading-automation/runtime';
import type { Admission } from './admission.js';
import type { OverdueDeliveries } from './overdue-deliveries.js';

/** A due delivery is overdue after this share of the sweep interval, because its job then had enough time to run. */
const GRACE_PER_SWEEP = 2 / 3;

/**
 * Adds jobs for overdue deliveries. Their jobs are missing because Redis lost data, a dispatcher died or a notification
 * was missed. Also requests the admission of parked deliveries.
 */
export class Sweeper {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(
    private readonly overdue: OverdueDeliveries,
    private readonly deliveries: Pick<WebhookDeliveriesService, 'parkedUsers'>,
    private readonly admission: Admission,
    private readonly logger: Logger,
    private readonly sweepMs: number,
  ) {}

  /** Starts sweeping. The first sweep is immediate, for deliveries that an earlier process did not finish. */
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
    await this.overdue.addJobs(graceMs, this.stopping.signal);
    this.admission.requestCheck(await this.deliveries.parkedUsers());
  }
}
