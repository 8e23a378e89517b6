import type { TradeSignal } from '@trading-automation/contracts';
import { toDomainError } from '../../operations/index.js';
import { type PullStream, PullStreamController } from '../../platform/index.js';
import { isOutage, type SignalFeed, type SignalReader } from './signal-feed.js';

/**
 * Delivers the signals of one strategy to one user, in order, each once. `next` fails with `not_found` once the user
 * may no longer read the strategy. The caller that opened the stream ends it with `return`.
 */
export type SignalSubscription = PullStream<TradeSignal>;

/**
 * Reads the signals of one subscription: from the feed's buffer or, if it is too far behind, page by page from
 * the database.
 */
export class SubscriptionReader implements SignalReader {
  readonly stream: SignalSubscription & PullStreamController<TradeSignal>;
  /** The unread rest of the last page from the database, in reverse order. */
  private page: TradeSignal[] = [];

  constructor(
    readonly userId: string,
    private readonly feed: SignalFeed,
    /** The sequence of the last signal that was delivered. */
    private sequence: number,
    onEnd: () => void,
  ) {
    this.stream = new PullStreamController(
      () => this.read(),
      () => {
        feed.remove(this);
        this.page = [];
        onEnd();
      },
    );
  }

  wake(): void {
    this.stream.wake();
  }

  fail(error: unknown): void {
    this.stream.fail(error);
  }

  private read(): TradeSignal | undefined | Promise<TradeSignal | undefined> {
    const nextOfPage = this.page.pop();
    if (nextOfPage === undefined && this.feed.isEvicted(this.sequence)) return this.readFromDatabase();
    return this.advanceTo(nextOfPage ?? this.feed.next(this.sequence, this.userId));
  }

  private async readFromDatabase(): Promise<TradeSignal | undefined> {
    try {
      const page = await this.feed.readPage(this.sequence, this.userId);
      this.page = page.toReversed();
      return this.advanceTo(this.page.pop());
    } catch (error) {
      const domainError = toDomainError(error);
      if (isOutage(domainError)) return undefined;
      throw domainError;
    }
  }

  private advanceTo(signal: TradeSignal | undefined): TradeSignal | undefined {
    if (signal !== undefined) this.sequence = signal.sequence;
    return signal;
  }
}
