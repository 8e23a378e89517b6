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
import { EventSubscription, QUEUE_MAX_BYTES } from './event-subscription.js';
import { lastEventId, readPage, resumePositionOf } from './events.queries.js';
import { StreamLeases } from './stream-leases.service.js';

export interface EventStreamRequest {
  /** The types to send. Default: all. */
  readonly type?: string | undefined;
  /** The event after which to start. Default: only new events. */
  readonly lastEventId?: string | undefined;
}

/** Opens event streams. A stream ends when the credential that opened it becomes invalid. */
export class EventStreamsService {
  private readonly feed: EventFeed;
  private readonly watch: CredentialWatch;
  private readonly leases: StreamLeases;
  private readonly streams = new Set<EventSubscription>();
  private isClosing = false;

  constructor(
    private readonly platform: Platform,
    streamsPerUser: number,
  ) {
    this.feed = new EventFeed(platform);
    this.watch = new CredentialWatch(platform);
    this.leases = new StreamLeases(platform, {
      kind: 'events',
      max: EVENT_STREAMS_MAX,
      maxPerUser: streamsPerUser,
    });
  }

  /**
   * Opens a stream of the caller's new events, or of all events after `lastEventId`. The caller must close it.
   *
   * @throws {DomainError} `invalid_query` if `lastEventId` is invalid; `rate_limited` if the credential already
   *   has five open streams, or its user the maximum of all credentials
   */
  async open(
    actor: Actor,
    incoming: IncomingRequest,
    request: EventStreamRequest,
  ): Promise<EventSubscription> {
    const { access } = eventOperations.stream;
    authorise(actor, access);
    this.assertNotClosing();
    const start = await this.resolveStart(actor.userId, request.lastEventId);
    const releases: (() => unknown)[] = [];
    const release = async () => {
      this.streams.delete(subscription);
      this.feed.remove(subscription);
      while (releases.length > 0) await releases.pop()!();
    };
    const subscription = this.subscribe(actor.userId, request, start, release);
    const end = () => void subscription.close();
    try {
      releases.push(await this.leases.claim(actor, end));
      releases.push(await this.watch.watch({ actor, incoming, access }, end));
      if (subscription.ended.aborted) throw new DomainError('service_unavailable');
      this.assertNotClosing();
    } catch (error) {
      await subscription.close();
      // `close` releases nothing if the stream had already ended; this call releases what was acquired since then.
      await release();
      this.assertNotClosing();
      throw error;
    }
    this.streams.add(subscription);
    this.feed.add(subscription);
    return subscription;
  }

  /** Ends all streams. No stream can be opened after that. */
  async onModuleDestroy(): Promise<void> {
    this.isClosing = true;
    this.watch.stop();
    await Promise.all([...this.streams].map((subscription) => subscription.close()));
    await this.feed.stop();
  }

  private async resolveStart(
    userId: string,
    eventId: string | undefined,
  ): Promise<{ after: bigint; id: string }> {
    const { database } = this.platform;
    const after = eventId === undefined ? undefined : await resumePositionOf(database, userId, eventId);
    // The feed is refreshed after the query, so that its head is never before the start of the subscription.
    await this.feed.refresh();
    if (after !== undefined && eventId !== undefined) return { after, id: eventId };
    const { head } = this.feed;
    return { after: head, id: await lastEventId(database, userId, head) };
  }

  private subscribe(
    userId: string,
    { type }: EventStreamRequest,
    start: { readonly after: bigint; readonly id: string },
    release: () => Promise<void>,
  ): EventSubscription {
    const types = type === undefined || type === '*' ? null : expandEventSelector(type);
    return new EventSubscription(
      { userId, types, after: start.after, resumeAfter: start.id },
      {
        head: () => this.feed.head,
        read: (range) => readPage(this.platform.database, userId, types, range, QUEUE_MAX_BYTES),
        release,
      },
    );
  }

  private assertNotClosing(): void {
    if (this.isClosing) throw new DomainError('service_unavailable');
  }
}
