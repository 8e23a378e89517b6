import { Controller } from '@nestjs/common';
import { strategyOperations } from '@trading-automation/contracts';
import { FollowedStrategiesService } from '@trading-automation/core/copiers';
import { StrategiesService } from '@trading-automation/core/strategies';
import { type Call, Operation } from '../http/operation.js';

const operations = strategyOperations;

@Controller()
export class StrategiesController {
  constructor(
    private readonly strategies: StrategiesService,
    private readonly followed: FollowedStrategiesService,
  ) {}

  @Operation(operations.list)
  list(call: Call<typeof operations.list>) {
    return this.strategies.list(call.actor, call.query);
  }

  @Operation(operations.get)
  get(call: Call<typeof operations.get>) {
    return this.strategies.get(call.actor, call.params.id);
  }

  @Operation(operations.create)
  create(call: Call<typeof operations.create>) {
    return this.strategies.create(call.actor, call.body);
  }

  @Operation(operations.update)
  update(call: Call<typeof operations.update>) {
    return this.followed.update(call.actor, call.params.id, call.body);
  }

  @Operation(operations.delete)
  delete(call: Call<typeof operations.delete>) {
    return this.followed.delete(call.actor, call.params.id, call.body);
  }

  @Operation(operations.linkCopiers)
  linkCopiers(call: Call<typeof operations.linkCopiers>) {
    return this.followed.linkCopiers(call.actor, call.params.id, call.body);
  }
}
