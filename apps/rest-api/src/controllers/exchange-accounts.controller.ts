import { Controller } from '@nestjs/common';
import { exchangeAccountOperations } from '@trading-automation/contracts';
import { ExchangeAccountsService } from '@trading-automation/core/exchange-accounts';
import { type Call, Operation } from '../http/operation.js';

const operations = exchangeAccountOperations;

@Controller()
export class ExchangeAccountsController {
  constructor(private readonly accounts: ExchangeAccountsService) {}

  @Operation(operations.supported)
  supported(call: Call<typeof operations.supported>) {
    return this.accounts.supported(call.query);
  }

  @Operation(operations.list)
  list(call: Call<typeof operations.list>) {
    return this.accounts.list(call.actor, call.query);
  }

  @Operation(operations.get)
  get(call: Call<typeof operations.get>) {
    return this.accounts.get(call.actor, call.params.id);
  }

  @Operation(operations.create)
  create(call: Call<typeof operations.create>) {
    return this.accounts.create(call.actor, call.body);
  }

  @Operation(operations.update)
  update(call: Call<typeof operations.update>) {
    return this.accounts.update(call.actor, call.params.id, call.body);
  }

  @Operation(operations.delete)
  delete(call: Call<typeof operations.delete>) {
    return this.accounts.delete(call.actor, call.params.id);
  }

  @Operation(operations.test)
  test(call: Call<typeof operations.test>) {
    return this.accounts.test(call.actor, call.body);
  }

  @Operation(operations.sync)
  sync(call: Call<typeof operations.sync>) {
    return this.accounts.sync(call.actor, call.params.id);
  }
}
