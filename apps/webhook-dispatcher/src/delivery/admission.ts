/**
 * Adds jobs for parked deliveries when capacity becomes free.
 *
 * 1. One query to Postgres covers all users whose check was requested while the previous query ran.
 * 2. Postgres still reports a delivery as parked after its job was added. This class therefore remembers for a short
 *    time when it added a job, so that the delivery gets no second job while the first may exist.
 * 3. If a delivery is still parked 20 s after its job was added, a wrong clock delays the job. The delivery then gets
 *    a duplicate job.
 * 4. If a dispatcher died or a job was lost, the sweeper finds the deliveries that this class misses.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LanedDelivery, WebhookDeliveriesService } from '@trading-automation/core/webhooks';
import type { Logger } from '@trading-automation/runtime';
import type { AttemptQueue } from './attempt-queue.js';

/** The delay between two queries. The next query covers all users whose check was requested meanwhile. */
const COALESCE_MS = 15;
/** For this time after its job was added, a delivery gets no other job. */
const ENQUEUE_COOLDOWN_MS = 2_000;
/** Longer than any job normally waits in its queue, even if the dispatcher that ran it has died. */
const STUCK_JOB_MS = 20_000;
/**
 * How long the times of a delivery are remembered after its last job was added. While the delivery is parked, the
 * sweeper requests checks more often, so `firstMs` is kept.
 */
const ENTRY_TTL_MS = 15_000;
const USERS_PER_QUERY = 200;

interface EnqueueTimes {
  /** When the first and the last job of a delivery were added, on a monotonic clock. */
  readonly firstMs: number;
  readonly lastMs: number;
}

export class Admission {
  private readonly users = new Set<string>();
  /** By delivery id, in the order in which their last jobs were added. */
  private readonly enqueued = new Map<string, EnqueueTimes>();
  private running: Promise<void> | undefined;

  constructor(
    private readonly deliveries: Pick<WebhookDeliveriesService, 'admissible'>,
    private readonly queue: Pick<AttemptQueue, 'add' | 'addDuplicate'>,
    private readonly logger: Logger,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Requests a check of the parked deliveries of these users, because capacity may have become free. */
  requestCheck(userIds: readonly string[]): void {
    for (const userId of userIds) this.users.add(userId);
    if (this.users.size > 0) this.running ??= this.run();
  }

  /** Called when a job has ended. Its delivery can get another job, and its user may have free capacity. */
  jobEnded(deliveryId: string, userId: string): void {
    this.enqueued.delete(deliveryId);
    this.requestCheck([userId]);
  }

  /** Resolves when no query is running. */
  async drain(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    while (this.users.size > 0) {
      const userIds = [...this.users].slice(0, USERS_PER_QUERY);
      for (const userId of userIds) this.users.delete(userId);
      try {
        await this.enqueue(await this.deliveries.admissible(userIds));
      } catch (error) {
        this.logger.warn(
          { event: 'admission.failed', err: error },
          'Could not queue the deliveries that waited for capacity; the sweeper will queue them.',
        );
      }
      await sleep(COALESCE_MS);
    }
    this.running = undefined;
  }

  private async enqueue(refs: readonly LanedDelivery[]): Promise<void> {
    const nowMs = this.nowMs();
    for (const [id, { lastMs }] of this.enqueued) {
      if (lastMs + ENTRY_TTL_MS > nowMs) break;
      this.enqueued.delete(id);
    }
    const withoutJob: LanedDelivery[] = [];
    const stuck: LanedDelivery[] = [];
    for (const ref of refs) {
      const { firstMs = nowMs, lastMs = -Infinity } = this.enqueued.get(ref.deliveryId) ?? {};
      if (lastMs + ENQUEUE_COOLDOWN_MS > nowMs) continue;
      (firstMs + STUCK_JOB_MS <= nowMs ? stuck : withoutJob).push(ref);
      this.enqueued.delete(ref.deliveryId);
      this.enqueued.set(ref.deliveryId, { firstMs, lastMs: nowMs });
    }
    await Promise.all([this.queue.add(withoutJob), this.queue.addDuplicate(stuck)]);
  }
}
