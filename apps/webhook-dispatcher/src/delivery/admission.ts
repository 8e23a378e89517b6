/**
 * Gives jobs to parked deliveries as room is made for them.
 *
 * 1. Postgres is asked once for all users of whom something was heard while it was last asked.
 * 2. What was given a job a moment ago is not given another while that may stand: Postgres still says that it is parked.
 *    That memory is short, and forgets jobs that are over; a job that is not over yet would keep another from being added.
 * 3. What is missed here (a dead dispatcher, a lost job) the sweeper finds.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LanedRef, WebhookDeliveries } from '@trading-automation/core/webhooks';
import type { Logger } from '@trading-automation/runtime';
import type { AttemptQueue } from './attempt-queue.js';

/** Between two turns: what is heard meanwhile is asked for at once. */
const REST_MS = 15;
const REMEMBERED_MS = 2_000;
const USERS_AT_ONCE = 200;

export class Admission {
  private readonly users = new Set<string>();
  private readonly given = new Map<string, number>();
  private running: Promise<void> | undefined;

  constructor(
    private readonly deliveries: Pick<WebhookDeliveries, 'admissible'>,
    private readonly queue: Pick<AttemptQueue, 'add'>,
    private readonly logger: Logger,
  ) {}

  /** There may be room for these users' parked deliveries. */
  wake(userIds: readonly string[]): void {
    for (const userId of userIds) this.users.add(userId);
    if (this.users.size > 0) this.running ??= this.run();
  }

  /** A job is over and gone: should its delivery be parked, it can have another, and the user may have room. */
  ended(deliveryId: string, userId: string): void {
    this.given.delete(deliveryId);
    this.wake([userId]);
  }

  /** Resolves when nothing is being asked. */
  async settle(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    while (this.users.size > 0) {
      const userIds = [...this.users].slice(0, USERS_AT_ONCE);
      for (const userId of userIds) this.users.delete(userId);
      try {
        await this.queue.add(this.fresh(await this.deliveries.admissible(userIds)));
      } catch (error) {
        this.logger.warn({ err: error }, 'parked deliveries not looked at; the sweeper will');
      }
      await sleep(REST_MS);
    }
    this.running = undefined;
  }

  private fresh(refs: readonly LanedRef[]): readonly LanedRef[] {
    const now = performance.now();
    for (const [id, until] of this.given) {
      if (until > now) break;
      this.given.delete(id);
    }
    const fresh = refs.filter(({ deliveryId }) => !this.given.has(deliveryId));
    for (const { deliveryId } of fresh) this.given.set(deliveryId, now + REMEMBERED_MS);
    return fresh;
  }
}
