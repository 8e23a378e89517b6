import type { OrderBookUpdate } from '@trading-automation/contracts';
import { PullStreamController } from '../platform/index.js';
import type { BookViewConsumer } from './book-view.js';

/**
 * Holds at most one message until it is pulled. If a second message arrives before that, both are dropped: the consumer
 * is behind, and gets the current state when it pulls.
 */
export class ConflatingPullConsumer implements BookViewConsumer {
  readonly stream: PullStreamController<OrderBookUpdate>;
  private waiting: OrderBookUpdate | undefined;
  private isBehind = true;

  constructor(
    private readonly currentSnapshot: () => OrderBookUpdate | undefined,
    onEnd: () => void,
  ) {
    this.stream = new PullStreamController(() => this.next(), onEnd);
  }

  offer(message: OrderBookUpdate): void {
    if (this.isBehind || this.waiting !== undefined) {
      this.isBehind = true;
      this.waiting = undefined;
    } else this.waiting = message;
    this.stream.wake();
  }

  private next(): OrderBookUpdate | undefined {
    if (this.isBehind) {
      const snapshot = this.currentSnapshot();
      this.isBehind = snapshot === undefined;
      return snapshot;
    }
    const message = this.waiting;
    this.waiting = undefined;
    return message;
  }
}
