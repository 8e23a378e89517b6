import { ResolveField, Resolver } from '@nestjs/graphql';
import { rewardOperations } from '@trading-automation/contracts';
import { RewardsService } from '@trading-automation/core/rewards';
import type { RequestContext } from '../graphql/context.js';
import { type Call, Operation } from '../graphql/operation.js';

@Resolver()
export class RewardsResolver {
  constructor(private readonly rewardsService: RewardsService) {}

  @Operation(rewardOperations.list)
  rewards(call: Call<typeof rewardOperations.list>) {
    return this.rewardsService.list(call.actor, call.query);
  }

  @Operation(rewardOperations.types)
  rewardTypes(call: Call<typeof rewardOperations.types>) {
    return this.rewardsService.types(call.actor, call.query);
  }

  @Operation(rewardOperations.balance)
  rewardBalance(call: Call<typeof rewardOperations.balance>) {
    return this.rewardsService.balance(call.actor);
  }

  @Operation(rewardOperations.claim)
  claimReward(call: Call<typeof rewardOperations.claim>) {
    return this.rewardsService.claim(call.actor, call.params.id);
  }
}

@Resolver('Reward')
export class RewardFieldsResolver {
  @ResolveField()
  type(record: RewardIds, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('rwt', record.typeId);
  }
}

interface RewardIds {
  readonly typeId: string | null;
}
