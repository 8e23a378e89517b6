import { ResolveField, Resolver } from '@nestjs/graphql';
import { analyticsOperations, tradeOperations } from '@trading-automation/contracts';
import { AnalyticsService } from '@trading-automation/core/analytics';
import { TradesService } from '@trading-automation/core/trades';
import type { RequestContext } from '../graphql/context.js';
import { type Call, Operation } from '../graphql/operation.js';

@Resolver()
export class TradesResolver {
  constructor(
    private readonly tradesService: TradesService,
    private readonly analytics: AnalyticsService,
  ) {}

  @Operation(tradeOperations.list)
  trades(call: Call<typeof tradeOperations.list>) {
    return this.tradesService.list(call.actor, call.query);
  }

  @Operation(tradeOperations.get)
  trade(call: Call<typeof tradeOperations.get>) {
    return this.tradesService.get(call.actor, call.params.id);
  }

  @Operation(analyticsOperations.get)
  tradeAnalytics(call: Call<typeof analyticsOperations.get>) {
    return this.analytics.get(call.actor, call.query);
  }

  @Operation(tradeOperations.create)
  createTrade(call: Call<typeof tradeOperations.create>) {
    return this.tradesService.create(call.actor, call.body);
  }

  @Operation(tradeOperations.cancel)
  cancelTrade(call: Call<typeof tradeOperations.cancel>) {
    return this.tradesService.cancel(call.actor, call.params.id);
  }
}

@Resolver('Trade')
export class TradeFieldsResolver {
  @ResolveField()
  exchangeAccount(record: TradeIds, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('exa', record.exchangeAccountId);
  }

  @ResolveField()
  tradePair(record: TradeIds, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('tpr', record.tradePairId);
  }

  @ResolveField()
  strategy(record: TradeIds, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('str', record.strategyId);
  }

  @ResolveField()
  copier(record: TradeIds, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('cpr', record.copierId);
  }

  @ResolveField()
  sourceTrade(record: TradeIds, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('trd', record.sourceTradeId);
  }

  /** Already loaded if the trade was requested by its id. */
  @ResolveField()
  fills(record: TradeIds, _args: unknown, { loaders }: RequestContext) {
    return record.fills ?? loaders.fills(record.id);
  }
}

interface TradeIds {
  readonly id: string;
  readonly fills?: readonly unknown[];
  readonly exchangeAccountId: string | null;
  readonly tradePairId: string | null;
  readonly strategyId: string | null;
  readonly copierId: string | null;
  readonly sourceTradeId: string | null;
}
