/**
 * Reads new events once for the whole process, in order, and offers each event to the subscriptions of its user.
 *
 * 1. `head` is the position up to which the feed has read. Every event up to `head` has its final position (see the
 *    outbox). The feed assigns positions itself, so it needs no other process.
 * 2. A subscription is live while it has been offered every event up to `head`. Otherwise it catches up from the
 *    database until it reaches `head`. No `await` separates the check for `head` from the switch to live events.
 * 3. Notifications only shorten the wait: polling alone delivers every event.
 */
import { type Database, OUTBOX_CHANNEL, sequenceEvents } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';
import { type PositionRange, readSequencedEvents, type SequencedEvent } from './events.queries.js';

const POLL_MS = 1_000;
const BATCH = 200;

/** A receiver of a user's events. */
export interface Follower {
  readonly userId: string;
  /** Offers the user's events of a position range. A follower ignores the offer if it has not seen all earlier events. */
  offer(events: readonly SequencedEvent[], range: PositionRange): void;
  /** Signals that `head` has advanced. */
  wake(): void;
}

export class EventFeed {
  private readonly followers = new Map<string, Set<Follower>>();
  private readonly unsubscribe: () => void;
  private readonly database: Database;
  private timer: NodeJS.Timeout | undefined;
  private polling: Promise<void> = Promise.resolve();
  private pending: Promise<void> | undefined;
  private reached = 0n;

  constructor(platform: Platform) {
    this.database = platform.database;
    this.unsubscribe = platform.listener.subscribe(OUTBOX_CHANNEL, () => this.pollSoon());
  }

  /** The position up to which the feed has read all events. */
  get head(): bigint {
    return this.reached;
  }

  add(follower: Follower): void {
    const { userId } = follower;
    this.followers.set(userId, (this.followers.get(userId) ?? new Set()).add(follower));
    this.timer ??= setInterval(() => this.pollSoon(), POLL_MS).unref();
  }

  remove(follower: Follower): void {
    const userFollowers = this.followers.get(follower.userId);
    userFollowers?.delete(follower);
    if (userFollowers?.size === 0) this.followers.delete(follower.userId);
    if (this.followers.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Resolves after a poll that started after the call. `head` then covers every event that was visible at the call. */
  refresh(): Promise<void> {
    this.pending ??= this.polling
      .catch(() => undefined)
      .then(() => {
        this.pending = undefined;
        this.polling = this.poll();
        return this.polling;
      });
    return this.pending;
  }

  /** Stops polling; resolves when no poll is running. */
  async stop(): Promise<void> {
    this.unsubscribe();
    clearInterval(this.timer);
    await this.pending?.catch(() => undefined);
    await this.polling.catch(() => undefined);
  }

  private pollSoon(): void {
    // The next poll retries a failed one. The credential watch ends streams that cannot be served for long.
    if (this.followers.size > 0) this.refresh().catch(() => undefined);
  }

  private async poll(): Promise<void> {
    const last = await sequenceEvents(this.database);
    while (this.reached < last) await this.step(last);
  }

  private async step(last: bigint): Promise<void> {
    const after = this.reached;
    // Events of a user who subscribes during this read are missing; `wake` makes that subscription catch up.
    const userIds = [...this.followers.keys()];
    const events =
      userIds.length === 0
        ? []
        : await readSequencedEvents(this.database, userIds, { after, through: last }, BATCH);
    const through = events.length < BATCH ? last : events.at(-1)!.position;
    const byUser = new Map(userIds.map((userId) => [userId, [] as SequencedEvent[]]));
    for (const event of events) byUser.get(event.userId)?.push(event);
    this.reached = through;
    for (const [userId, followers] of this.followers) {
      const userEvents = byUser.get(userId);
      for (const follower of followers) {
        if (userEvents === undefined) follower.wake();
        else follower.offer(userEvents, { after, through });
      }
    }
  }
}
