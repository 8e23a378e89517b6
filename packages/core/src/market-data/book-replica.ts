import { ConflatingConsumer } from './conflating-consumer.js';
import type { BookMessage } from './market-messages.js';
import { OrderBook } from './order-book.js';

/** The metadata of a book's state. */
type BookHeader = Omit<BookMessage, 'bids' | 'asks' | 'kind' | 'previousSequence'>;

/**
 * This process's replica of one book, shared by all its consumers. Messages may arrive in any order and repeatedly. A
 * message that does not follow the current state makes the replica wait for a snapshot.
 */
export class BookReplica {
  private readonly consumers = new Set<ConflatingConsumer<BookMessage>>();
  private readonly book = new OrderBook();
  private header: BookHeader | undefined;
  /** The highest sequence received. A state with a lower sequence is not current. */
  private highestSequence = 0;

  /** Whether the replica lacks a message and needs a snapshot to continue. */
  get needsSnapshot(): boolean {
    return this.header === undefined || this.header.sequence < this.highestSequence;
  }

  get isUnused(): boolean {
    return this.consumers.size === 0;
  }

  add(consumer: ConflatingConsumer<BookMessage>): void {
    this.consumers.add(consumer);
    const snapshot = this.currentSnapshot();
    if (snapshot !== undefined) consumer.offer(snapshot);
  }

  remove(consumer: ConflatingConsumer<BookMessage>): void {
    consumer.close();
    this.consumers.delete(consumer);
  }

  receive(message: BookMessage): void {
    this.highestSequence = Math.max(this.highestSequence, message.sequence);
    const currentSequence = this.header?.sequence ?? Number.NEGATIVE_INFINITY;
    if (message.sequence <= currentSequence) return;
    if (message.kind === 'SNAPSHOT') this.book.reset(message);
    else if (message.previousSequence === currentSequence) this.book.apply(message);
    else return;
    const { exchange, symbol, sequence, exchangeTimestamp, receivedAt } = message;
    this.header = { exchange, symbol, sequence, exchangeTimestamp, receivedAt };
    for (const consumer of this.consumers) consumer.offer(message);
  }

  /** Returns the whole book, or undefined if its current state is unknown. */
  readonly currentSnapshot = (): BookMessage | undefined => {
    if (this.header === undefined || this.needsSnapshot) return undefined;
    return { ...this.header, kind: 'SNAPSHOT', previousSequence: null, ...this.book.sides() };
  };
}
