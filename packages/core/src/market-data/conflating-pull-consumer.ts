import type { OrderBookUpdate } from '@trading-automation/contracts';
import { PullStreamController } from '../platform/index.js';
import type { BookViewConsumer } from './book-view.js';

/**
 * Has one message wait, at most, until it is asked for. When a second one comes before that, neither is kept: it is
 * behind, and gets the present when it asks.
 */
export class ConflatingPullConsumer implements BookViewConsumer {
  readonly stream: PullStreamController<OrderBookUpdate>;
  private waiting: OrderBookUpdate | undefined;
  private isBehind = true;

  constructor(
    private readonly currentSnapshot: () => OrderBookUpdate | undefined,
    onEnd: () => void,
  ) {
    this.stream = new PullStreamController(() => this.make(), onEnd);
  }

  offer(message: OrderBookUpdate): void {
    if (this.isBehind || this.waiting !== undefined) {
      this.isBehind = true;
      this.waiting = undefined;
    } else this.waiting = message;
    this.stream.wake();
  }

  private make(): OrderBookUpdate | undefined {
    if (this.isBehind) {
      const present = this.currentSnapshot();
      this.isBehind = present === undefined;
      return present;
    }
    const message = this.waiting;
    this.waiting = undefined;
    return message;
  }
}
