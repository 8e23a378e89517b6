/**
 * The best levels of one book, shared by all consumers of the same depth: each message is created once.
 *
 * 1. A SNAPSHOT contains the best levels, at most `depth` on each side. A DELTA contains the changes of the best
 *    levels since the previous message: each level that entered or changed, and each level that left, with amount 0.
 * 2. A change beyond the depth is not sent; the next DELTA follows the last message sent.
 * 3. All consumers that are up to date receive the same message object. All consumers that join or catch up between two
 *    messages receive the same SNAPSHOT object.
 */
import type { OrderBookUpdate } from '@trading-automation/contracts';
import type { BookMessage, BookSides, Level } from './market-messages.js';
import { compareDecimals } from './order-book.js';

/** The book that the view shows. */
export interface BookViewSource {
  /** Whether the book is in its current state; false while a message is missing. */
  readonly isCurrent: boolean;
  /** The last message that was applied to the book, for its metadata; undefined before the first message. */
  readonly lastMessage: BookMessage | undefined;
  sides(depth: number): BookSides;
}

/** A consumer of a view. The view offers it every message, in order. */
export interface BookViewConsumer {
  offer(message: OrderBookUpdate): void;
}

type Levels = Pick<OrderBookUpdate, 'bids' | 'asks'>;

export class BookView {
  private readonly consumers = new Set<BookViewConsumer>();
  private shown: BookSides = { bids: [], asks: [] };
  /** The metadata of `shown`; undefined if unknown. */
  private header: BookMessage | undefined;
  private snapshot: OrderBookUpdate | undefined;
  /** Whether a consumer requested the current state while it was unknown. */
  private isSnapshotPending = false;

  constructor(
    private readonly source: BookViewSource,
    private readonly depth: number,
  ) {
    if (source.lastMessage !== undefined) this.setState(source.lastMessage, source.sides(depth));
  }

  get isUnused(): boolean {
    return this.consumers.size === 0;
  }

  add(consumer: BookViewConsumer): void {
    this.consumers.add(consumer);
    const snapshot = this.currentSnapshot();
    if (snapshot !== undefined) consumer.offer(snapshot);
  }

  remove(consumer: BookViewConsumer): void {
    this.consumers.delete(consumer);
  }

  /** Called after each change of the book. */
  update(header: BookMessage): void {
    const previous = this.header?.sequence;
    const best = this.source.sides(this.depth);
    const isSnapshotDue = this.isSnapshotPending && this.source.isCurrent;
    if (header.kind === 'SNAPSHOT' || previous === undefined || isSnapshotDue) {
      this.isSnapshotPending = false;
      this.setState(header, best);
      this.broadcast(this.toSnapshot(header));
      return;
    }
    const bids = changesOf(this.shown.bids, best.bids, isHigher);
    const asks = changesOf(this.shown.asks, best.asks, isLower);
    if (bids.length + asks.length === 0) return;
    this.setState(header, best);
    this.broadcast(toUpdate(header, 'DELTA', previous, { bids, asks }));
  }

  /** Returns the best levels, or undefined if the current state is unknown. */
  readonly currentSnapshot = (): OrderBookUpdate | undefined => {
    if (this.header === undefined || !this.source.isCurrent) {
      this.isSnapshotPending = true;
      return undefined;
    }
    return this.toSnapshot(this.header);
  };

  private toSnapshot(header: BookMessage): OrderBookUpdate {
    this.snapshot ??= toUpdate(header, 'SNAPSHOT', null, this.shown);
    return this.snapshot;
  }

  private setState(header: BookMessage, best: BookSides): void {
    this.header = header;
    this.shown = best;
    this.snapshot = undefined;
  }

  private broadcast(message: OrderBookUpdate): void {
    // Iterates over a copy: a consumer that is added during the broadcast already has this state.
    for (const consumer of [...this.consumers]) consumer.offer(message);
  }
}

function toUpdate(
  { exchange, symbol, sequence, exchangeTimestamp, receivedAt }: BookMessage,
  kind: OrderBookUpdate['kind'],
  previousSequence: number | null,
  { bids, asks }: Levels,
): OrderBookUpdate {
  return {
    exchange,
    symbol,
    kind,
    sequence,
    previous_sequence: previousSequence,
    bids,
    asks,
    exchange_timestamp: exchangeTimestamp,
    received_at: receivedAt,
  };
}

const isHigher = (a: Level, b: Level) => compareDecimals(a[0], b[0]) > 0;
const isLower = (a: Level, b: Level) => compareDecimals(a[0], b[0]) < 0;

/** Returns the changes from `before` to `after`. Both list the best levels first. */
function changesOf(
  before: readonly Level[],
  after: readonly Level[],
  isBetter: (a: Level, b: Level) => boolean,
): Level[] {
  const changes: Level[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [oldLevel, newLevel] = [before[i], after[j]];
    if (oldLevel !== undefined && oldLevel[0] === newLevel?.[0]) {
      if (oldLevel[1] !== newLevel[1]) changes.push(newLevel);
      i += 1;
      j += 1;
    } else if (newLevel === undefined || (oldLevel !== undefined && isBetter(oldLevel, newLevel))) {
      changes.push([oldLevel![0], '0']);
      i += 1;
    } else {
      changes.push(newLevel);
      j += 1;
    }
  }
  return changes;
}
