import { Controller } from '@nestjs/common';
import { tradePairOperations } from '@trading-automation/contracts';
import { TradePairsService } from '@trading-automation/core/trade-pairs';
import { type Call, Operation } from '../http/operation.js';

const operations = tradePairOperations;

@Controller()
export class TradePairsController {
  constructor(private readonly pairs: TradePairsService) {}

  @Operation(operations.list)
  list(call: Call<typeof operations.list>) {
    return this.pairs.list(call.actor, call.query);
  }

  @Operation(operations.get)
  get(call: Call<typeof operations.get>) {
    return this.pairs.get(call.actor, call.params.id);
  }
}
