import type { TradeSignal } from '@trading-automation/contracts';
import { toDomainError } from '../../operations/index.js';
import { type PullStream, PullStreamController } from '../../platform/index.js';
import { isOutage, type SignalFollower, type SignalReader } from './signal-follower.js';

/**
 * Delivers the signals of one strategy to one reader, in order, each once. `next` fails with `not_found` once the reader
 * may no longer read the strategy. The caller that opened the stream ends it with `return`.
 */
export type SignalSubscription = PullStream<TradeSignal>;

/** The state of one subscription: the sequence that it has reached, and at most one page that was read ahead. */
export class SignalCursor implements SignalReader {
  readonly stream: SignalSubscription & PullStreamController<TradeSignal>;
  /** Signals read ahead, the next one last. */
  private page: TradeSignal[] = [];

  constructor(
    readonly userId: string,
    private readonly follower: SignalFollower,
    /** The sequence of the last signal that was delivered. */
    private sequence: number,
    onEnd: () => void,
  ) {
    this.stream = new PullStreamController(
      () => this.read(),
      () => {
        follower.remove(this);
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
    const ahead = this.page.pop();
    if (ahead === undefined && this.follower.isEvicted(this.sequence)) return this.readFromDatabase();
    return this.advanceTo(ahead ?? this.follower.next(this.sequence));
  }

  private async readFromDatabase(): Promise<TradeSignal | undefined> {
    try {
      const page = await this.follower.readPage(this.sequence, this.userId);
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
