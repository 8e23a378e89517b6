/**
 * The best levels of one book, for all who ask for as many of them: what they are told is made once.
 *
 * 1. A SNAPSHOT is the best levels as they stand, at most `depth` of a side. A DELTA takes one who has the message before
 *    it to the best levels at its number: what came among them is told whole, what left them with an amount of 0.
 * 2. A change beyond the depth is told to nobody, and the next DELTA follows what was told last.
 * 3. Whoever is in step is handed the same object as all others; so is whoever begins, or was behind, between two
 *    messages.
 */
import type { OrderBookUpdate } from '@trading-automation/contracts';
import type { BookMessage, BookSides, Level } from './market-messages.js';
import { compareDecimals } from './order-book.js';

/** The book that is viewed. */
export interface BookViewSource {
  /** Whether it is known to be the present. */
  readonly isCurrent: boolean;
  /** What its state says of itself; undefined while nothing is known. */
  readonly header: BookMessage | undefined;
  sides(depth: number): BookSides;
}

/** Who is told; to be offered every message, the next after the one before. */
export interface BookViewConsumer {
  offer(message: OrderBookUpdate): void;
}

type Levels = Pick<OrderBookUpdate, 'bids' | 'asks'>;

export class BookView {
  private readonly consumers = new Set<BookViewConsumer>();
  private shown: BookSides = { bids: [], asks: [] };
  /** What stands for `shown`; undefined while nothing is known. */
  private header: BookMessage | undefined;
  private snapshot: OrderBookUpdate | undefined;
  /** Somebody asked for the present while it was not known. */
  private isSnapshotPending = false;

  constructor(
    private readonly viewed: BookViewSource,
    private readonly depth: number,
  ) {
    if (viewed.header !== undefined) this.setState(viewed.header, viewed.sides(depth));
  }

  get isUnused(): boolean {
    return this.consumers.size === 0;
  }

  add(taker: BookViewConsumer): void {
    this.consumers.add(taker);
    const present = this.currentSnapshot();
    if (present !== undefined) taker.offer(present);
  }

  remove(taker: BookViewConsumer): void {
    this.consumers.delete(taker);
  }

  /** The viewed book has changed. */
  update(stamp: BookMessage): void {
    const previous = this.header?.sequence;
    const best = this.viewed.sides(this.depth);
    const isDue = this.isSnapshotPending && this.viewed.isCurrent;
    if (stamp.kind === 'SNAPSHOT' || previous === undefined || isDue) {
      this.isSnapshotPending = false;
      this.setState(stamp, best);
      this.broadcast(this.toSnapshot(stamp));
      return;
    }
    const bids = changesOf(this.shown.bids, best.bids, isHigher);
    const asks = changesOf(this.shown.asks, best.asks, isLower);
    if (bids.length + asks.length === 0) return;
    this.setState(stamp, best);
    this.broadcast(messageOf(stamp, 'DELTA', previous, { bids, asks }));
  }

  /** The best levels as they stand; undefined while that isn't known. */
  readonly currentSnapshot = (): OrderBookUpdate | undefined => {
    if (this.header === undefined || !this.viewed.isCurrent) {
      this.isSnapshotPending = true;
      return undefined;
    }
    return this.toSnapshot(this.header);
  };

  private toSnapshot(stamp: BookMessage): OrderBookUpdate {
    this.snapshot ??= messageOf(stamp, 'SNAPSHOT', null, this.shown);
    return this.snapshot;
  }

  private setState(stamp: BookMessage, best: BookSides): void {
    this.header = stamp;
    this.shown = best;
    this.snapshot = undefined;
  }

  private broadcast(message: OrderBookUpdate): void {
    // Whoever comes while this is told has it already.
    for (const taker of [...this.consumers]) taker.offer(message);
  }
}

function messageOf(
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

/** What turns `before` into `after`, both best levels first, in the same order. */
function changesOf(
  before: readonly Level[],
  after: readonly Level[],
  isBetter: (a: Level, b: Level) => boolean,
): Level[] {
  const changes: Level[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [old, now] = [before[i], after[j]];
    if (old !== undefined && old[0] === now?.[0]) {
      if (old[1] !== now[1]) changes.push(now);
      i += 1;
      j += 1;
    } else if (now === undefined || (old !== undefined && isBetter(old, now))) {
      changes.push([old![0], '0']);
      i += 1;
    } else {
      changes.push(now);
      j += 1;
    }
  }
  return changes;
}
