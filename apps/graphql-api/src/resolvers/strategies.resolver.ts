import { ResolveField, Resolver } from '@nestjs/graphql';
import { strategyOperations } from '@trading-automation/contracts';
import { FollowedStrategiesService } from '@trading-automation/core/copiers';
import { StrategiesService } from '@trading-automation/core/strategies';
import type { RequestContext } from '../graphql/context.js';
import { type Call, Operation } from '../graphql/operation.js';

@Resolver()
export class StrategiesResolver {
  constructor(
    private readonly strategiesService: StrategiesService,
    private readonly followed: FollowedStrategiesService,
  ) {}

  @Operation(strategyOperations.list)
  strategies(call: Call<typeof strategyOperations.list>) {
    return this.strategiesService.list(call.actor, call.query);
  }

  @Operation(strategyOperations.get)
  strategy(call: Call<typeof strategyOperations.get>) {
    return this.strategiesService.get(call.actor, call.params.id);
  }

  @Operation(strategyOperations.create)
  createStrategy(call: Call<typeof strategyOperations.create>) {
    return this.strategiesService.create(call.actor, call.body);
  }

  @Operation(strategyOperations.update)
  updateStrategy(call: Call<typeof strategyOperations.update>) {
    return this.followed.update(call.actor, call.params.id, call.body);
  }

  @Operation(strategyOperations.delete)
  deleteStrategy(call: Call<typeof strategyOperations.delete>) {
    return this.followed.delete(call.actor, call.params.id, call.body);
  }

  @Operation(strategyOperations.linkCopiers)
  linkCopiers(call: Call<typeof strategyOperations.linkCopiers>) {
    return this.followed.linkCopiers(call.actor, call.params.id, call.body);
  }
}

@Resolver('Strategy')
export class StrategyFieldsResolver {
  @ResolveField()
  exchangeAccount(record: StrategyIds, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('exa', record.exchangeAccountId);
  }
}

interface StrategyIds {
  readonly exchangeAccountId: string | null;
}
