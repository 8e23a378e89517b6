import { Controller } from '@nestjs/common';
import { tradeOperations } from '@trading-automation/contracts';
import { TradesService } from '@trading-automation/core/trades';
import { type Call, Operation } from '../http/operation.js';

const operations = tradeOperations;

@Controller()
export class TradesController {
  constructor(private readonly trades: TradesService) {}

  @Operation(operations.list)
  list(call: Call<typeof operations.list>) {
    return this.trades.list(call.actor, call.query);
  }

  @Operation(operations.get)
  get(call: Call<typeof operations.get>) {
    return this.trades.get(call.actor, call.params.id);
  }

  @Operation(operations.create)
  create(call: Call<typeof operations.create>) {
    return this.trades.create(call.actor, call.body);
  }

  @Operation(operations.cancel)
  cancel(call: Call<typeof operations.cancel>) {
    return this.trades.cancel(call.actor, call.params.id);
  }
}
