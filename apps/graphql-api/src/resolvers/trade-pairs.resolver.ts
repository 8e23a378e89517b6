import { Resolver } from '@nestjs/graphql';
import { tradePairOperations } from '@trading-automation/contracts';
import { TradePairsService } from '@trading-automation/core/trade-pairs';
import { type Call, Operation } from '../graphql/operation.js';

@Resolver()
export class TradePairsResolver {
  constructor(private readonly pairs: TradePairsService) {}

  @Operation(tradePairOperations.list)
  tradePairs(call: Call<typeof tradePairOperations.list>) {
    return this.pairs.list(call.actor, call.query);
  }

  @Operation(tradePairOperations.get)
  tradePair(call: Call<typeof tradePairOperations.get>) {
    return this.pairs.get(call.actor, call.params.id);
  }
}
