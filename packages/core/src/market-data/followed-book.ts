import { Consumer } from './consumer.js';
import type { BookMessage } from './market-messages.js';
import { OrderBook } from './order-book.js';

/** What a book's state says of itself. */
type Stamp = Omit<BookMessage, 'bids' | 'asks' | 'kind' | 'previousSequence'>;

/**
 * One book as this process follows it, for all its consumers. It takes messages in any order and any number of times:
 * what doesn't follow what it has makes it wait for a snapshot, and say that it needs one.
 */
export class FollowedBook {
  private readonly consumers = new Set<Consumer<BookMessage>>();
  private readonly book = new OrderBook();
  private stamp: Stamp | undefined;
  /** The greatest number seen: a state below it is not the present. */
  private seen = 0;

  /** Whether it must have a snapshot to go on. */
  get isInNeed(): boolean {
    return this.stamp === undefined || this.stamp.sequence < this.seen;
  }

  get isUnused(): boolean {
    return this.consumers.size === 0;
  }

  add(consumer: Consumer<BookMessage>): void {
    this.consumers.add(consumer);
    const present = this.present();
    if (present !== undefined) consumer.offer(present);
  }

  remove(consumer: Consumer<BookMessage>): void {
    consumer.close();
    this.consumers.delete(consumer);
  }

  receive(message: BookMessage): void {
    this.seen = Math.max(this.seen, message.sequence);
    const at = this.stamp?.sequence ?? Number.NEGATIVE_INFINITY;
    if (message.sequence <= at) return;
    if (message.kind === 'SNAPSHOT') this.book.reset(message);
    else if (message.previousSequence === at) this.book.apply(message);
    else return;
    const { exchange, symbol, sequence, exchangeTimestamp, receivedAt } = message;
    this.stamp = { exchange, symbol, sequence, exchangeTimestamp, receivedAt };
    for (const consumer of this.consumers) consumer.offer(message);
  }

  /** The whole book as it stands; undefined while that isn't known. */
  readonly present = (): BookMessage | undefined => {
    if (this.stamp === undefined || this.isInNeed) return undefined;
    return { ...this.stamp, kind: 'SNAPSHOT', previousSequence: null, ...this.book.sides() };
  };
}
