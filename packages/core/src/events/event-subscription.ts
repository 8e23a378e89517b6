/**
 * Yields the events of one stream, in order and each once.
 *
 * 1. `cursor` is the position up to which events were added to the queue. Live events are accepted only if they continue
 *    exactly there. Otherwise the subscription reads them from the database once the queue is empty, so that no event is
 *    lost or repeated.
 * 2. The queue contains the events that the reader has not taken. Its size is limited, so that a slow reader uses bounded
 *    memory.
 */
import { type EventType, StoredJson } from '@trading-automation/contracts';
import type { Follower } from './event-feed.service.js';
import type { PositionRange, SequencedEvent } from './events.queries.js';

/** The maximum bytes of queued payloads; a single larger payload is still accepted. */
export const WAITING_MAX_BYTES = 256 * 1024;

/** An event as a stream sends it. */
export interface StreamedEvent {
  /** The public id, from which a stream can resume. */
  readonly id: string;
  readonly type: EventType;
  /** The stored JSON, on one line. */
  readonly data: string;
}

/** The events that a stream sends, and the event after which it starts. */
export interface StreamStart {
  readonly userId: string;
  /** Null for all types. */
  readonly types: readonly EventType[] | null;
  /** The position after which the stream starts. */
  readonly after: bigint;
  /** The event id after which the stream starts, in the form of `lastEventId`. */
  readonly resumeAfter: string;
}

/** Reads stored events, and releases the resources of the stream. */
export interface SubscriptionSource {
  readonly head: () => bigint;
  /** Reads the next events of a position range from the database; an empty result means that the range has no more. */
  readonly read: (range: PositionRange) => Promise<readonly SequencedEvent[]>;
  readonly release: () => Promise<void>;
}

export class EventSubscription implements Follower {
  readonly userId: string;
  readonly resumeAfter: string;
  private readonly ending = new AbortController();
  private cursor: bigint;
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
    this.cursor = start.after;
  }

  /** Aborted when no more events are sent. */
  get ended(): AbortSignal {
    return this.ending.signal;
  }

  get waitingBytes(): number {
    return this.queuedBytes;
  }

  /** Yields the events until the stream ends. Allows one reader only. */
  async *events(): AsyncGenerator<StreamedEvent, void, undefined> {
    while (!this.ended.aborted) {
      const next = this.take();
      if (next !== undefined) yield toStreamedEvent(next);
      else if (this.cursor < this.source.head()) await this.catchUp();
      else await this.waitForWake();
    }
  }

  offer(events: readonly SequencedEvent[], { after, through }: PositionRange): void {
    if (this.cursor >= after) {
      const areAllAccepted = events.every((event) => this.accept(event));
      if (areAllAccepted && through > this.cursor) this.cursor = through;
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

  private take(): SequencedEvent | undefined {
    const next = this.queue.shift();
    if (next !== undefined) this.queuedBytes -= next.payload.length;
    return next;
  }

  /** Returns false if the queue is full; later events are then read from the database. */
  private accept(event: SequencedEvent): boolean {
    if (event.position <= this.cursor) return true;
    const { types } = this.start;
    if (types === null || types.includes(event.type)) {
      if (this.queuedBytes > 0 && this.queuedBytes + event.payload.length > WAITING_MAX_BYTES) return false;
      this.queue.push(event);
      this.queuedBytes += event.payload.length;
    }
    this.cursor = event.position;
    return true;
  }

  private async catchUp(): Promise<void> {
    const through = this.source.head();
    const events = await this.source.read({ after: this.cursor, through });
    if (this.ended.aborted) return;
    this.queue.push(...events);
    for (const { payload } of events) this.queuedBytes += payload.length;
    this.cursor = events.at(-1)?.position ?? through;
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
