import { ConflatingConsumer } from './conflating-consumer.js';
import type { BookMessage } from './market-messages.js';
import { OrderBook } from './order-book.js';

/** What a book's state says of itself. */
type BookHeader = Omit<BookMessage, 'bids' | 'asks' | 'kind' | 'previousSequence'>;

/**
 * One book as this process follows it, for all its consumers. It takes messages in any order and any number of times:
 * what doesn't follow what it has makes it wait for a snapshot, and say that it needs one.
 */
export class BookReplica {
  private readonly consumers = new Set<ConflatingConsumer<BookMessage>>();
  private readonly book = new OrderBook();
  private header: BookHeader | undefined;
  /** The greatest number seen: a state below it is not the present. */
  private highestSequence = 0;

  /** Whether it must have a snapshot to go on. */
  get needsSnapshot(): boolean {
    return this.header === undefined || this.header.sequence < this.highestSequence;
  }

  get isUnused(): boolean {
    return this.consumers.size === 0;
  }

  add(consumer: ConflatingConsumer<BookMessage>): void {
    this.consumers.add(consumer);
    const present = this.currentSnapshot();
    if (present !== undefined) consumer.offer(present);
  }

  remove(consumer: ConflatingConsumer<BookMessage>): void {
    consumer.close();
    this.consumers.delete(consumer);
  }

  receive(message: BookMessage): void {
    this.highestSequence = Math.max(this.highestSequence, message.sequence);
    const at = this.header?.sequence ?? Number.NEGATIVE_INFINITY;
    if (message.sequence <= at) return;
    if (message.kind === 'SNAPSHOT') this.book.reset(message);
    else if (message.previousSequence === at) this.book.apply(message);
    else return;
    const { exchange, symbol, sequence, exchangeTimestamp, receivedAt } = message;
    this.header = { exchange, symbol, sequence, exchangeTimestamp, receivedAt };
    for (const consumer of this.consumers) consumer.offer(message);
  }

  /** The whole book as it stands; undefined while that isn't known. */
  readonly currentSnapshot = (): BookMessage | undefined => {
    if (this.header === undefined || this.needsSnapshot) return undefined;
    return { ...this.header, kind: 'SNAPSHOT', previousSequence: null, ...this.book.sides() };
  };
}
