import { Controller } from '@nestjs/common';
import { withdrawalOperations } from '@trading-automation/contracts';
import { WithdrawalsService } from '@trading-automation/core/withdrawals';
import { type Call, Operation } from '../http/operation.js';

const operations = withdrawalOperations;

@Controller()
export class WithdrawalsController {
  constructor(private readonly withdrawals: WithdrawalsService) {}

  @Operation(operations.list)
  list(call: Call<typeof operations.list>) {
    return this.withdrawals.list(call.actor, call.query);
  }

  @Operation(operations.get)
  get(call: Call<typeof operations.get>) {
    return this.withdrawals.get(call.actor, call.params.id);
  }

  @Operation(operations.create)
  create(call: Call<typeof operations.create>) {
    return this.withdrawals.create(call.actor, call.body);
  }

  @Operation(operations.cancel)
  cancel(call: Call<typeof operations.cancel>) {
    return this.withdrawals.cancel(call.actor, call.params.id);
  }
}
