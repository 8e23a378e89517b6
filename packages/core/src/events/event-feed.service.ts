/**
 * Follows the one order of events, once for a whole process, and hands each event to its user's subscriptions.
 *
 * 1. `head` is how far it has looked: every event up to it stands in its place for good (see the outbox). It gives
 *    positions itself, so no other process needs to run.
 * 2. A subscription is live while it has been offered everything up to `head`; one that is not catches up by itself,
 *    from the database, and is live again when it has reached `head`. Both are decided between two awaits.
 * 3. Notifications only shorten the wait: the poll alone hands on everything.
 */
import { type Database, OUTBOX_CHANNEL, sequenceEvents } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';
import { type PositionRange, readSequencedEvents, type SequencedEvent } from './events.queries.js';

const POLL_MS = 1_000;
const BATCH = 200;

/** Who is handed events. */
export interface Follower {
  readonly userId: string;
  /** Offers the user's events of a stretch; it counts for those who have seen all before it. */
  offer(events: readonly SequencedEvent[], range: PositionRange): void;
  /** Tells that `head` has moved on. */
  wake(): void;
}

export class EventFeed {
  private readonly followers = new Map<string, Set<Follower>>();
  private readonly unsubscribe: () => void;
  private readonly database: Database;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private pending: Promise<void> | undefined;
  private reached = 0n;

  constructor(platform: Platform) {
    this.database = platform.database;
    this.unsubscribe = platform.listener.subscribe(OUTBOX_CHANNEL, () => this.pollSoon());
  }

  /** The position up to which everything has been looked at. */
  get head(): bigint {
    return this.reached;
  }

  add(follower: Follower): void {
    const { userId } = follower;
    this.followers.set(userId, (this.followers.get(userId) ?? new Set()).add(follower));
    this.timer ??= setInterval(() => this.pollSoon(), POLL_MS).unref();
  }

  remove(follower: Follower): void {
    const ofUser = this.followers.get(follower.userId);
    ofUser?.delete(follower);
    if (ofUser?.size === 0) this.followers.delete(follower.userId);
    if (this.followers.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Resolves after a look that began after the call: `head` then covers all that was visible at it. */
  refresh(): Promise<void> {
    this.pending ??= this.looking
      .catch(() => undefined)
      .then(() => {
        this.pending = undefined;
        this.looking = this.poll();
        return this.looking;
      });
    return this.pending;
  }

  /** Looks no more; resolves when nothing of it runs. */
  async stop(): Promise<void> {
    this.unsubscribe();
    clearInterval(this.timer);
    await this.pending?.catch(() => undefined);
    await this.looking.catch(() => undefined);
  }

  private pollSoon(): void {
    // A failed look is followed by the next; who can't be served for long is ended by the watch of credentials.
    if (this.followers.size > 0) this.refresh().catch(() => undefined);
  }

  private async poll(): Promise<void> {
    const last = await sequenceEvents(this.database);
    while (this.reached < last) await this.step(last);
  }

  private async step(last: bigint): Promise<void> {
    const after = this.reached;
    // A user who comes while these are read is not among them: woken, their subscription catches up by itself.
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
      const ofUser = byUser.get(userId);
      for (const follower of followers) {
        if (ofUser === undefined) follower.wake();
        else follower.offer(ofUser, { after, through });
      }
    }
  }
}
