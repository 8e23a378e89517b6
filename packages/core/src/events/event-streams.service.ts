import {
  DomainError,
  EVENT_STREAMS_MAX,
  eventOperations,
  expandEventSelector,
} from '@trading-automation/contracts';
import { CredentialWatch, type IncomingRequest } from '../access/index.js';
import { type Actor, authorise } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { EventFeed } from './event-feed.service.js';
import { EventSubscription, WAITING_MAX_BYTES } from './event-subscription.js';
import { lastEventId, positionAfter, readPage } from './events.queries.js';
import { StreamLeases } from './stream-leases.service.js';

export interface EventStreamRequest {
  /** What kinds to send; all unless given. */
  readonly type?: string | undefined;
  /** The event after which to begin; from now on unless given. */
  readonly lastEventId?: string | undefined;
}

/** Opens streams of events, and ends each with the credential it was opened by. */
export class EventStreamsService {
  private readonly feed: EventFeed;
  private readonly watch: CredentialWatch;
  private readonly leases: StreamLeases;
  private readonly streams = new Set<EventSubscription>();
  private isClosing = false;

  constructor(private readonly platform: Platform) {
    this.feed = new EventFeed(platform);
    this.watch = new CredentialWatch(platform);
    this.leases = new StreamLeases(platform, { kind: 'events', max: EVENT_STREAMS_MAX });
  }

  /**
   * Events of the caller that become visible after this, or after the one that was named. Whoever opens it closes it.
   *
   * @throws {DomainError} `invalid_query` for a `lastEventId` that is none; `rate_limited` beyond five of a credential
   */
  async open(actor: Actor, incoming: IncomingRequest, wish: EventStreamRequest): Promise<EventSubscription> {
    const { access } = eventOperations.stream;
    authorise(actor, access);
    this.assertServing();
    const begin = await this.beginning(actor.userId, wish.lastEventId);
    const held: (() => unknown)[] = [];
    const release = async () => {
      this.streams.delete(subscription);
      this.feed.remove(subscription);
      while (held.length > 0) await held.pop()!();
    };
    const subscription = this.subscribe(actor.userId, wish, begin, release);
    const end = () => void subscription.close();
    try {
      held.push(await this.leases.claim(actor.credential.id, end));
      held.push(await this.watch.watch({ actor, incoming, access }, end));
      if (subscription.ended.aborted) throw new DomainError('service_unavailable');
      this.assertServing();
    } catch (error) {
      await subscription.close();
      // What came to be held after an end that came before.
      await release();
      this.assertServing();
      throw error;
    }
    this.streams.add(subscription);
    this.feed.add(subscription);
    return subscription;
  }

  /** Ends every stream, and opens none any more. */
  async onModuleDestroy(): Promise<void> {
    this.isClosing = true;
    this.watch.stop();
    await Promise.all([...this.streams].map((subscription) => subscription.close()));
    await this.feed.stop();
  }

  private async beginning(userId: string, named: string | undefined): Promise<{ after: bigint; id: string }> {
    const { database } = this.platform;
    const after = named === undefined ? undefined : await positionAfter(database, userId, named);
    // After the look-up: the feed is then never behind where a subscription begins.
    await this.feed.refresh();
    if (after !== undefined && named !== undefined) return { after, id: named };
    const { head } = this.feed;
    return { after: head, id: await lastEventId(database, userId, head) };
  }

  private subscribe(
    userId: string,
    { type }: EventStreamRequest,
    begin: { readonly after: bigint; readonly id: string },
    release: () => Promise<void>,
  ): EventSubscription {
    const types = type === undefined || type === '*' ? null : expandEventSelector(type);
    return new EventSubscription({
      userId,
      types,
      after: begin.after,
      resumeAfter: begin.id,
      head: () => this.feed.head,
      read: (stretch) => readPage(this.platform.database, userId, types, stretch, WAITING_MAX_BYTES),
      release,
    });
  }

  private assertServing(): void {
    if (this.isClosing) throw new DomainError('service_unavailable');
  }
}
