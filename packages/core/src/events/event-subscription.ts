/**
 * Yields the events of one stream, in order and each once.
 *
 * 1. `queuedThrough` is the position up to which all events of the stream were queued. The subscription accepts live
 *    events only if none is missing after that position. Otherwise it reads the missing ones from the database once the
 *    queue is empty, so that no event is lost or repeated.
 * 2. The queue contains the events that the reader has not read yet. Its size is limited, so that a slow reader uses
 *    bounded memory.
 */
import { type EventType, StoredJson } from '@trading-automation/contracts';
import type { FeedSubscription } from './event-feed.service.js';
import type { PositionRange, SequencedEvent } from './events.queries.js';

/** The maximum number of bytes of queued payloads. An empty queue accepts one larger payload. */
export const QUEUE_MAX_BYTES = 256 * 1024;

/** An event as a stream sends it. */
export interface StreamedEvent {
  /** The public id. A stream can resume after it. */
  readonly id: string;
  readonly type: EventType;
  /** The stored JSON, on one line. */
  readonly data: string;
}

/** Which events a stream sends, and after which event it starts. */
export interface StreamStart {
  readonly userId: string;
  /** Null for all types. */
  readonly types: readonly EventType[] | null;
  /** The position after which the stream starts. */
  readonly after: bigint;
  /** The public id of the event after which the stream starts. A client may send it as `last_event_id`. */
  readonly resumeAfter: string;
}

/** Reads stored events, and releases the resources of the stream. */
export interface SubscriptionSource {
  /** Returns the position up to which the feed has read all events. */
  readonly head: () => bigint;
  /** Reads the first events of a position range from the database; empty if the range contains none. */
  readonly read: (range: PositionRange) => Promise<readonly SequencedEvent[]>;
  readonly release: () => Promise<void>;
}

export class EventSubscription implements FeedSubscription {
  readonly userId: string;
  readonly resumeAfter: string;
  private readonly ending = new AbortController();
  private queuedThrough: bigint;
  private queue: SequencedEvent[] = [];
  private queuedBytes = 0;
  private onWake = () => {};
  private released: Promise<void> | undefined;

  constructor(
    private readonly start: StreamStart,
    private readonly source: SubscriptionSource,
  ) {
    this.userId = start.userId;
    this.resumeAfter = start.resumeAfter;
    this.queuedThrough = start.after;
  }

  /** Aborts when the stream ends. */
  get ended(): AbortSignal {
    return this.ending.signal;
  }

  /** The size of the queued payloads. */
  get waitingBytes(): number {
    return this.queuedBytes;
  }

  /** Yields the events until the stream ends. Allows one reader only. */
  async *events(): AsyncGenerator<StreamedEvent, void, undefined> {
    while (!this.ended.aborted) {
      const next = this.takeNext();
      if (next !== undefined) yield toStreamedEvent(next);
      else if (this.queuedThrough < this.source.head()) await this.catchUp();
      else await this.waitForWake();
    }
  }

  offer(events: readonly SequencedEvent[], { after, through }: PositionRange): void {
    if (this.queuedThrough >= after) {
      const areAllAccepted = events.every((event) => this.accept(event));
      if (areAllAccepted && through > this.queuedThrough) this.queuedThrough = through;
    }
    this.wake();
  }

  wake(): void {
    this.onWake();
  }

  /** Ends the stream; resolves when its resources are released. */
  close(): Promise<void> {
    this.ending.abort();
    this.queue = [];
    this.queuedBytes = 0;
    this.wake();
    this.released ??= this.source.release();
    return this.released;
  }

  private takeNext(): SequencedEvent | undefined {
    const next = this.queue.shift();
    if (next !== undefined) this.queuedBytes -= next.payload.length;
    return next;
  }

  /** Queues an event. Returns false if the queue is full; the event is then read from the database later. */
  private accept(event: SequencedEvent): boolean {
    if (event.position <= this.queuedThrough) return true;
    const { types } = this.start;
    if (types === null || types.includes(event.type)) {
      if (this.queuedBytes > 0 && this.queuedBytes + event.payload.length > QUEUE_MAX_BYTES) return false;
      this.queue.push(event);
      this.queuedBytes += event.payload.length;
    }
    this.queuedThrough = event.position;
    return true;
  }

  private async catchUp(): Promise<void> {
    const through = this.source.head();
    const events = await this.source.read({ after: this.queuedThrough, through });
    if (this.ended.aborted) return;
    this.queue.push(...events);
    for (const { payload } of events) this.queuedBytes += payload.length;
    this.queuedThrough = events.at(-1)?.position ?? through;
  }

  private waitForWake(): Promise<void> {
    return new Promise((resolve) => {
      this.onWake = resolve;
    });
  }
}

function toStreamedEvent({ id, type, payload }: SequencedEvent): StreamedEvent {
  return { id, type, data: StoredJson.of(payload.toString()).text };
}
