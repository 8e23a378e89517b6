/**
 * Gives jobs to parked deliveries as room is made for them.
 *
 * 1. Postgres is asked once for all users of whom something was heard while it was last asked.
 * 2. What was given a job a moment ago is not given another while that may stand: Postgres still says that it is parked.
 *    That memory is short, and forgets jobs that are over; a job that is not over yet would keep another from being added.
 * 3. A delivery that was given a job and still is parked long after has one that waits by a clock that was wrong: it is
 *    given another beside it.
 * 4. What is missed here (a dead dispatcher, a lost job) the sweeper finds.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LanedDelivery, WebhookDeliveriesService } from '@trading-automation/core/webhooks';
import type { Logger } from '@trading-automation/runtime';
import type { AttemptQueue } from './attempt-queue.js';

/** Between two turns: what is heard meanwhile is asked for at once. */
const COALESCE_MS = 15;
const ENQUEUE_COOLDOWN_MS = 2_000;
/** Longer than a job waits for its turn, or for a dispatcher that died with it. */
const STUCK_JOB_MS = 20_000;
/** What is parked is looked at several times within it, by the sweeper at the least. */
const ENTRY_TTL_MS = 15_000;
const USERS_AT_ONCE = 200;

interface EnqueueTimes {
  /** When it was first given a job, and when last, by a clock that is never set back. */
  readonly firstMs: number;
  readonly lastMs: number;
}

export class Admission {
  private readonly users = new Set<string>();
  /** In the order in which they were last given jobs. */
  private readonly enqueued = new Map<string, EnqueueTimes>();
  private running: Promise<void> | undefined;

  constructor(
    private readonly deliveries: Pick<WebhookDeliveriesService, 'admissible'>,
    private readonly queue: Pick<AttemptQueue, 'add' | 'addDuplicate'>,
    private readonly logger: Logger,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** There may be room for these users' parked deliveries. */
  requestCheck(userIds: readonly string[]): void {
    for (const userId of userIds) this.users.add(userId);
    if (this.users.size > 0) this.running ??= this.run();
  }

  /** A job is over and gone: should its delivery be parked, it can have another, and the user may have room. */
  jobEnded(deliveryId: string, userId: string): void {
    this.enqueued.delete(deliveryId);
    this.requestCheck([userId]);
  }

  /** Resolves when nothing is being asked. */
  async drain(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    while (this.users.size > 0) {
      const userIds = [...this.users].slice(0, USERS_AT_ONCE);
      for (const userId of userIds) this.users.delete(userId);
      try {
        await this.enqueue(await this.deliveries.admissible(userIds));
      } catch (error) {
        this.logger.warn({ err: error }, 'parked deliveries not looked at; the sweeper will');
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
    const others: LanedDelivery[] = [];
    const stuck: LanedDelivery[] = [];
    for (const ref of refs) {
      const { firstMs = nowMs, lastMs = -Infinity } = this.enqueued.get(ref.deliveryId) ?? {};
      if (lastMs + ENQUEUE_COOLDOWN_MS > nowMs) continue;
      (firstMs + STUCK_JOB_MS <= nowMs ? stuck : others).push(ref);
      this.enqueued.delete(ref.deliveryId);
      this.enqueued.set(ref.deliveryId, { firstMs, lastMs: nowMs });
    }
    await Promise.all([this.queue.add(others), this.queue.addDuplicate(stuck)]);
  }
}
