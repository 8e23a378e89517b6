import { DomainError, strategyOperations } from '@trading-automation/contracts';

import { type Actor, authorise, decodeIdOrThrow } from '../../operations/index.js';
import type { Platform } from '../../platform/index.js';
import { SignalFollower } from './signal-follower.js';
import { SignalCursor, type SignalSubscription } from './signal-subscription.js';
import { SIGNALS_CHANNEL } from './signals.queries.js';
import { mayRead, readSignalHead } from './trade-signals.queries.js';

/** Pushes signals. A strategy is followed only while it has subscribers. */
export class SignalStreams {
  private readonly followers = new Map<string, SignalFollower>();
  private readonly subscriptions = new Set<SignalSubscription>();
  private stopListening: (() => void) | undefined;
  private isClosing = false;

  constructor(private readonly platform: Platform) {}

  /**
   * Opens a stream of the signals emitted from now on or, with `afterSequence`, of all signals after that sequence. The
   * strategy must be the actor's own or an active public strategy. The caller closes the stream.
   *
   * @throws {DomainError} `not_found`; `invalid_query` if no signal of the strategy has the sequence `afterSequence`
   */
  async open(actor: Actor, strategyPublicId: string, afterSequence?: number): Promise<SignalSubscription> {
    authorise(actor, strategyOperations.get.access);
    const strategyId = decodeIdOrThrow('str', strategyPublicId);
    const now = await readSignalHead(this.platform.database.manager, strategyId);
    if (now === undefined || !mayRead(now, actor.userId)) throw new DomainError('not_found');
    if (this.isClosing) throw new DomainError('service_unavailable');
    const after =
      afterSequence === undefined ? now.lastSequence : parseAfterSequence(afterSequence, now.lastSequence);
    const follower = this.followers.get(strategyId) ?? this.follow(strategyId, now.lastSequence);
    const cursor = new SignalCursor(actor.userId, follower, after, () => {
      this.subscriptions.delete(cursor.stream);
      if (follower.isUnused) this.unfollow(strategyId);
    });
    this.subscriptions.add(cursor.stream);
    follower.add(cursor);
    return cursor.stream;
  }

  /** Ends all subscriptions; later calls of `open` fail. */
  async onModuleDestroy(): Promise<void> {
    this.isClosing = true;
    await Promise.all([...this.subscriptions].map((subscription) => subscription.return()));
  }

  private follow(strategyId: string, after: number): SignalFollower {
    const follower = new SignalFollower(this.platform.database, strategyId, after);
    this.followers.set(strategyId, follower);
    this.stopListening ??= this.platform.listener.subscribe(SIGNALS_CHANNEL, (changed) =>
      this.requestPoll(changed),
    );
    return follower;
  }

  private unfollow(strategyId: string): void {
    this.followers.delete(strategyId);
    if (this.followers.size > 0) return;
    this.stopListening?.();
    this.stopListening = undefined;
  }

  /** @param changed the uuid of a strategy; undefined if notifications of any strategy may have been missed */
  private requestPoll(changed: string | undefined): void {
    if (changed !== undefined) this.followers.get(changed)?.requestPoll();
    else for (const follower of this.followers.values()) follower.requestPoll();
  }
}

/** Validates the sequence; 0 means before the first signal. */
function parseAfterSequence(afterSequence: number, last: number): number {
  if (Number.isSafeInteger(afterSequence) && afterSequence >= 0 && afterSequence <= last)
    return afterSequence;
  const message = `after_sequence must be 0 or the sequence of a signal of this strategy, at most ${last}; got ${afterSequence}.`;
  throw new DomainError('invalid_query', undefined, [{ field: 'after_sequence', code: 'invalid', message }]);
}
