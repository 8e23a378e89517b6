import type { TradeSignal } from '@trading-automation/contracts';
import { toRefusal } from '../../operations/index.js';
import { PulledItems, type PullStream } from '../../platform/index.js';
import { isOutage, type SignalFollower, type SignalReader } from './signal-follower.js';

/**
 * The signals of one strategy for one reader, in their order, each once. `next` fails with `not_found` when the reader
 * may not read the strategy any more. Whoever opened it ends it by `return`.
 */
export type SignalSubscription = PullStream<TradeSignal>;

/** What one subscription has been handed: a place in the follower's order, and at most one page that is read ahead. */
export class SignalCursor implements SignalReader {
  readonly stream: SignalSubscription & PulledItems<TradeSignal>;
  /** What was read ahead, the next one last. */
  private page: TradeSignal[] = [];

  constructor(
    readonly userId: string,
    private readonly follower: SignalFollower,
    /** The sequence of the last signal that was handed on. */
    private sequence: number,
    onEnd: () => void,
  ) {
    this.stream = new PulledItems(
      () => this.make(),
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

  private make(): TradeSignal | undefined | Promise<TradeSignal | undefined> {
    const ahead = this.page.pop();
    if (ahead === undefined && this.follower.isPast(this.sequence)) return this.catchUp();
    return this.handOn(ahead ?? this.follower.next(this.sequence));
  }

  private async catchUp(): Promise<TradeSignal | undefined> {
    try {
      const page = await this.follower.readPage(this.sequence, this.userId);
      this.page = page.toReversed();
      return this.handOn(this.page.pop());
    } catch (error) {
      const refusal = toRefusal(error);
      if (isOutage(refusal)) return undefined;
      throw refusal;
    }
  }

  private handOn(signal: TradeSignal | undefined): TradeSignal | undefined {
    if (signal !== undefined) this.sequence = signal.sequence;
    return signal;
  }
}
