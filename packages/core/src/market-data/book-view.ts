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
export interface ViewSource {
  /** Whether it is known to be the present. */
  readonly isPresent: boolean;
  /** What its state says of itself; undefined while nothing is known. */
  readonly stamp: BookMessage | undefined;
  sides(depth: number): BookSides;
}

/** Who is told; to be offered every message, the next after the one before. */
export interface ViewTaker {
  offer(message: OrderBookUpdate): void;
}

type Levels = Pick<OrderBookUpdate, 'bids' | 'asks'>;

export class BookView {
  private readonly takers = new Set<ViewTaker>();
  private shown: BookSides = { bids: [], asks: [] };
  /** What stands for `shown`; undefined while nothing is known. */
  private stamp: BookMessage | undefined;
  private snapshot: OrderBookUpdate | undefined;
  /** Somebody asked for the present while it was not known. */
  private owesSnapshot = false;

  constructor(
    private readonly viewed: ViewSource,
    private readonly depth: number,
  ) {
    if (viewed.stamp !== undefined) this.turnTo(viewed.stamp, viewed.sides(depth));
  }

  get isUnused(): boolean {
    return this.takers.size === 0;
  }

  add(taker: ViewTaker): void {
    this.takers.add(taker);
    const present = this.present();
    if (present !== undefined) taker.offer(present);
  }

  remove(taker: ViewTaker): void {
    this.takers.delete(taker);
  }

  /** The viewed book has changed. */
  update(stamp: BookMessage): void {
    const previous = this.stamp?.sequence;
    const best = this.viewed.sides(this.depth);
    const isDue = this.owesSnapshot && this.viewed.isPresent;
    if (stamp.kind === 'SNAPSHOT' || previous === undefined || isDue) {
      this.owesSnapshot = false;
      this.turnTo(stamp, best);
      this.tell(this.whole(stamp));
      return;
    }
    const bids = changesOf(this.shown.bids, best.bids, isHigher);
    const asks = changesOf(this.shown.asks, best.asks, isLower);
    if (bids.length + asks.length === 0) return;
    this.turnTo(stamp, best);
    this.tell(messageOf(stamp, 'DELTA', previous, { bids, asks }));
  }

  /** The best levels as they stand; undefined while that isn't known. */
  readonly present = (): OrderBookUpdate | undefined => {
    if (this.stamp === undefined || !this.viewed.isPresent) {
      this.owesSnapshot = true;
      return undefined;
    }
    return this.whole(this.stamp);
  };

  private whole(stamp: BookMessage): OrderBookUpdate {
    this.snapshot ??= messageOf(stamp, 'SNAPSHOT', null, this.shown);
    return this.snapshot;
  }

  private turnTo(stamp: BookMessage, best: BookSides): void {
    this.stamp = stamp;
    this.shown = best;
    this.snapshot = undefined;
  }

  private tell(message: OrderBookUpdate): void {
    // Whoever comes while this is told has it already.
    for (const taker of [...this.takers]) taker.offer(message);
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
