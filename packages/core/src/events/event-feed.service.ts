/**
 * Reads new events once for the whole process, in order, and offers each event to the subscriptions of its user.
 *
 * 1. `head` is the position up to which the feed has read. Every event up to `head` has its final position (see the
 *    outbox). The feed assigns positions itself, so it needs no other process.
 * 2. A subscription is live while the feed has offered it every event up to `head`. Otherwise it reads events from the
 *    database until it reaches `head`. No `await` separates its comparison with `head` from its return to live events.
 * 3. Postgres notifications only shorten the wait: polling alone delivers every event.
 */
import { type Database, OUTBOX_CHANNEL, sequenceEvents } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';
import { type PositionRange, readSequencedEvents, type SequencedEvent } from './events.queries.js';

const POLL_MS = 1_000;
const BATCH_EVENTS = 200;

/** A subscription as the feed uses it. */
export interface FeedSubscription {
  readonly userId: string;
  /** Offers the user's events of a position range. A subscription that lacks earlier events ignores the offer. */
  offer(events: readonly SequencedEvent[], range: PositionRange): void;
  /** Called when `head` has advanced without an offer. */
  wake(): void;
}

export class EventFeed {
  private readonly subscriptions = new Map<string, Set<FeedSubscription>>();
  private readonly stopListening: () => void;
  private readonly database: Database;
  private timer: NodeJS.Timeout | undefined;
  private polling: Promise<void> = Promise.resolve();
  private pending: Promise<void> | undefined;
  private headPosition = 0n;

  constructor(platform: Platform) {
    this.database = platform.database;
    this.stopListening = platform.listener.subscribe(OUTBOX_CHANNEL, () => this.pollSoon());
  }

  /** The position up to which the feed has read all events. */
  get head(): bigint {
    return this.headPosition;
  }

  add(subscription: FeedSubscription): void {
    const { userId } = subscription;
    this.subscriptions.set(userId, (this.subscriptions.get(userId) ?? new Set()).add(subscription));
    this.timer ??= setInterval(() => this.pollSoon(), POLL_MS).unref();
  }

  remove(subscription: FeedSubscription): void {
    const userSubscriptions = this.subscriptions.get(subscription.userId);
    userSubscriptions?.delete(subscription);
    if (userSubscriptions?.size === 0) this.subscriptions.delete(subscription.userId);
    if (this.subscriptions.size > 0) return;
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

  /** Stops polling; resolves when the last poll has ended. */
  async stop(): Promise<void> {
    this.stopListening();
    clearInterval(this.timer);
    await this.pending?.catch(() => undefined);
    await this.polling.catch(() => undefined);
  }

  private pollSoon(): void {
    // A failed poll is retried by the next one. If the database stays unavailable, CredentialWatch ends the streams.
    if (this.subscriptions.size > 0) this.refresh().catch(() => undefined);
  }

  private async poll(): Promise<void> {
    const last = await sequenceEvents(this.database);
    while (this.headPosition < last) await this.readBatch(last);
  }

  private async readBatch(last: bigint): Promise<void> {
    const after = this.headPosition;
    // If a user subscribes during this read, their events are not in the result; `wake` makes the subscription
    // read them.
    const userIds = [...this.subscriptions.keys()];
    const events =
      userIds.length === 0
        ? []
        : await readSequencedEvents(this.database, userIds, { after, through: last }, BATCH_EVENTS);
    const through = events.length < BATCH_EVENTS ? last : events.at(-1)!.position;
    const byUser = new Map(userIds.map((userId) => [userId, [] as SequencedEvent[]]));
    for (const event of events) byUser.get(event.userId)?.push(event);
    this.headPosition = through;
    for (const [userId, subscriptions] of this.subscriptions) {
      const userEvents = byUser.get(userId);
      for (const subscription of subscriptions) {
        if (userEvents === undefined) subscription.wake();
        else subscription.offer(userEvents, { after, through });
      }
    }
  }
}
