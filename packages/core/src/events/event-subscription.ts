/**
 * The events of one stream, in the one order, each once.
 *
 * 1. `cursor` is how far they have been taken over into the queue. What comes live continues exactly there or is left
 *    to the database, from which it is read when the queue is empty: nothing is lost or doubled in between.
 * 2. The queue holds what its reader has not taken yet, to a limit; a slow reader costs no more memory than that.
 */
import { type EventType, StoredJson } from '@trading-automation/contracts';
import type { Follower } from './event-feed.service.js';
import type { PositionRange, SequencedEvent } from './events.queries.js';

/** Most bytes of payloads that wait for a reader, beyond a first one. */
export const WAITING_MAX_BYTES = 256 * 1024;

/** An event as a stream sends it. */
export interface StreamedEvent {
  /** Its public id, after which a stream can resume. */
  readonly id: string;
  readonly type: EventType;
  /** The stored JSON, on one line. */
  readonly data: string;
}

export interface SubscriptionDependencies {
  readonly userId: string;
  /** Null for every kind. */
  readonly types: readonly EventType[] | null;
  /** The position after which it begins. */
  readonly after: bigint;
  /** The id after which it begins, as `lastEventId` would name it. */
  readonly resumeAfter: string;
  readonly head: () => bigint;
  /** Reads on in the database: the first events of a stretch, none only where there are none. */
  readonly read: (stretch: PositionRange) => Promise<readonly SequencedEvent[]>;
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

  constructor(private readonly dependencies: SubscriptionDependencies) {
    this.userId = dependencies.userId;
    this.resumeAfter = dependencies.resumeAfter;
    this.cursor = dependencies.after;
  }

  /** Aborted when no further event is to be sent. */
  get ended(): AbortSignal {
    return this.ending.signal;
  }

  get waitingBytes(): number {
    return this.queuedBytes;
  }

  /** The events, until the end. To be read by one reader. */
  async *events(): AsyncGenerator<StreamedEvent, void, undefined> {
    while (!this.ended.aborted) {
      const next = this.take();
      if (next !== undefined) yield streamed(next);
      else if (this.cursor < this.dependencies.head()) await this.catchUp();
      else await this.woken();
    }
  }

  offer(events: readonly SequencedEvent[], { after, through }: PositionRange): void {
    if (this.cursor >= after) {
      const isAllTaken = events.every((event) => this.accept(event));
      if (isAllTaken && through > this.cursor) this.cursor = through;
    }
    this.wake();
  }

  wake(): void {
    this.onWake();
  }

  /** Ends the stream; resolves when nothing of it is held any more. */
  close(): Promise<void> {
    this.ending.abort();
    this.queue = [];
    this.queuedBytes = 0;
    this.wake();
    this.released ??= this.dependencies.release();
    return this.released;
  }

  private take(): SequencedEvent | undefined {
    const next = this.queue.shift();
    if (next !== undefined) this.queuedBytes -= next.payload.length;
    return next;
  }

  /** False where there is no room: from there on the database is read. */
  private accept(event: SequencedEvent): boolean {
    if (event.position <= this.cursor) return true;
    const { types } = this.dependencies;
    if (types === null || types.includes(event.type)) {
      if (this.queuedBytes > 0 && this.queuedBytes + event.payload.length > WAITING_MAX_BYTES) return false;
      this.queue.push(event);
      this.queuedBytes += event.payload.length;
    }
    this.cursor = event.position;
    return true;
  }

  private async catchUp(): Promise<void> {
    const through = this.dependencies.head();
    const events = await this.dependencies.read({ after: this.cursor, through });
    if (this.ended.aborted) return;
    this.queue.push(...events);
    for (const { payload } of events) this.queuedBytes += payload.length;
    this.cursor = events.at(-1)?.position ?? through;
  }

  private woken(): Promise<void> {
    return new Promise((resolve) => {
      this.onWake = resolve;
    });
  }
}

function streamed({ id, type, payload }: SequencedEvent): StreamedEvent {
  return { id, type, data: StoredJson.of(payload.toString()).text };
}
