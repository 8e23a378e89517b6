import { Controller } from '@nestjs/common';
import { rewardOperations } from '@trading-automation/contracts';
import { RewardsService } from '@trading-automation/core/rewards';
import { type Call, Operation } from '../http/operation.js';

const operations = rewardOperations;

@Controller()
export class RewardsController {
  constructor(private readonly rewards: RewardsService) {}

  @Operation(operations.list)
  list(call: Call<typeof operations.list>) {
    return this.rewards.list(call.actor, call.query);
  }

  @Operation(operations.types)
  types(call: Call<typeof operations.types>) {
    return this.rewards.types(call.actor, call.query);
  }

  @Operation(operations.balance)
  balance(call: Call<typeof operations.balance>) {
    return this.rewards.balance(call.actor);
  }

  @Operation(operations.claim)
  claim(call: Call<typeof operations.claim>) {
    return this.rewards.claim(call.actor, call.params.id);
  }
}
