import { DomainError, strategyOperations } from '@trading-automation/contracts';

import { type Actor, authorise, decodeIdOrThrow } from '../../operations/index.js';
import type { Platform } from '../../platform/index.js';
import { SignalFeed } from './signal-feed.js';
import { type SignalSubscription, SubscriptionReader } from './signal-subscription.js';
import { SIGNALS_CHANNEL } from './signals.queries.js';
import { mayRead, readSignalHead, type SignalHead } from './trade-signals.queries.js';

/** Opens streams of signals. The process reads a strategy's signals only while the strategy has subscribers. */
export class SignalStreams {
  private readonly feeds = new Map<string, SignalFeed>();
  private readonly subscriptions = new Set<SignalSubscription>();
  private stopListening: (() => void) | undefined;
  private isClosing = false;

  constructor(private readonly platform: Platform) {}

  /**
   * Opens a stream of the signals emitted from now on or, with `afterSequence`, of all signals after that sequence. The
   * strategy must be one of the actor's or an active public one. The caller must end the stream.
   *
   * @throws {DomainError} `not_found`; `invalid_query` if no signal of the strategy has the sequence `afterSequence`
   */
  async open(actor: Actor, strategyPublicId: string, afterSequence?: number): Promise<SignalSubscription> {
    authorise(actor, strategyOperations.get.access);
    const strategyId = decodeIdOrThrow('str', strategyPublicId);
    const head = await readSignalHead(this.platform.database.manager, strategyId);
    if (head === undefined || !mayRead(head, actor.userId)) throw new DomainError('not_found');
    if (this.isClosing) throw new DomainError('service_unavailable');
    const after =
      afterSequence === undefined ? head.lastSequence : parseAfterSequence(afterSequence, head.lastSequence);
    const feed = this.feeds.get(strategyId) ?? this.openFeed(strategyId, head);
    const reader = new SubscriptionReader(actor.userId, feed, after, () => {
      this.subscriptions.delete(reader.stream);
      if (feed.isUnused) this.closeFeed(strategyId);
    });
    this.subscriptions.add(reader.stream);
    feed.add(reader);
    return reader.stream;
  }

  /** Ends all subscriptions; later calls of `open` fail. */
  async onModuleDestroy(): Promise<void> {
    this.isClosing = true;
    await Promise.all([...this.subscriptions].map((subscription) => subscription.return()));
  }

  private openFeed(strategyId: string, { ownerId, lastSequence }: SignalHead): SignalFeed {
    const feed = new SignalFeed(this.platform.database, strategyId, ownerId, lastSequence);
    this.feeds.set(strategyId, feed);
    this.stopListening ??= this.platform.listener.subscribe(SIGNALS_CHANNEL, (changed) =>
      this.requestPoll(changed),
    );
    return feed;
  }

  private closeFeed(strategyId: string): void {
    this.feeds.delete(strategyId);
    if (this.feeds.size > 0) return;
    this.stopListening?.();
    this.stopListening = undefined;
  }

  /** @param changed the uuid of a strategy; undefined if notifications of any strategy may have been missed */
  private requestPoll(changed: string | undefined): void {
    if (changed !== undefined) this.feeds.get(changed)?.requestPoll();
    else for (const feed of this.feeds.values()) feed.requestPoll();
  }
}

/** Validates the sequence; 0 means before the first signal. */
function parseAfterSequence(afterSequence: number, last: number): number {
  if (Number.isSafeInteger(afterSequence) && afterSequence >= 0 && afterSequence <= last)
    return afterSequence;
  const message = `after_sequence must be 0 or the sequence of a signal of this strategy, at most ${last}; got ${afterSequence}.`;
  throw new DomainError('invalid_query', undefined, [{ field: 'after_sequence', code: 'invalid', message }]);
}
