import { Resolver } from '@nestjs/graphql';
import { withdrawalOperations } from '@trading-automation/contracts';
import { WithdrawalsService } from '@trading-automation/core/withdrawals';
import { type Call, Operation } from '../graphql/operation.js';

@Resolver()
export class WithdrawalsResolver {
  constructor(private readonly withdrawalsService: WithdrawalsService) {}

  @Operation(withdrawalOperations.list)
  withdrawals(call: Call<typeof withdrawalOperations.list>) {
    return this.withdrawalsService.list(call.actor, call.query);
  }

  @Operation(withdrawalOperations.get)
  withdrawal(call: Call<typeof withdrawalOperations.get>) {
    return this.withdrawalsService.get(call.actor, call.params.id);
  }

  @Operation(withdrawalOperations.create)
  createWithdrawal(call: Call<typeof withdrawalOperations.create>) {
    return this.withdrawalsService.create(call.actor, call.body);
  }

  @Operation(withdrawalOperations.cancel)
  cancelWithdrawal(call: Call<typeof withdrawalOperations.cancel>) {
    return this.withdrawalsService.cancel(call.actor, call.params.id);
  }
}
