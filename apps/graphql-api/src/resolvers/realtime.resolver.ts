import { Resolver, Subscription } from '@nestjs/graphql';
import { DomainError, orderBookUpdate, tradeSignal } from '@trading-automation/contracts';
import type { Actor } from '@trading-automation/core';

import { BookStreams } from '@trading-automation/core/market-data';
import { SignalStreams } from '@trading-automation/core/strategies';
import { TradePairsService } from '@trading-automation/core/trade-pairs';
import type { RequestContext } from '../graphql/context.js';
import { SubscriptionField } from '../graphql/subscription-field.js';

interface SignalArguments {
  readonly strategyId: string;
  readonly afterSequence?: number | null;
}

interface BookArguments {
  readonly tradePairId: string;
  readonly depth: number;
}

@Resolver()
export class RealtimeResolver {
  private readonly signalEvents = new SubscriptionField('tradeSignal', tradeSignal);
  private readonly bookEvents = new SubscriptionField('orderbookUpdate', orderBookUpdate);

  constructor(
    private readonly signals: SignalStreams,
    private readonly books: BookStreams,
    private readonly pairs: TradePairsService,
  ) {}

  @Subscription()
  tradeSignal(_root: unknown, args: SignalArguments, context: RequestContext) {
    return this.signalEvents.subscribe(() =>
      this.signals.open(requireActor(context), args.strategyId, args.afterSequence ?? undefined),
    );
  }

  @Subscription()
  orderbookUpdate(_root: unknown, args: BookArguments, context: RequestContext) {
    return this.bookEvents.subscribe(async () => {
      const pair = await this.pairs.get(requireActor(context), args.tradePairId);
      return this.books.open(pair, args.depth);
    });
  }
}

function requireActor({ actor }: RequestContext): Actor {
  if (actor === null) throw new DomainError('authentication_required');
  return actor;
}
