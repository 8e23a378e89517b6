import { Resolver } from '@nestjs/graphql';
import { exchangeAccountOperations } from '@trading-automation/contracts';
import { ExchangeAccountsService } from '@trading-automation/core/exchange-accounts';
import { type Call, Operation } from '../graphql/operation.js';

@Resolver()
export class ExchangeAccountsResolver {
  constructor(private readonly accounts: ExchangeAccountsService) {}

  @Operation(exchangeAccountOperations.supported)
  supportedExchanges(call: Call<typeof exchangeAccountOperations.supported>) {
    return this.accounts.supported(call.query);
  }

  @Operation(exchangeAccountOperations.list)
  exchangeAccounts(call: Call<typeof exchangeAccountOperations.list>) {
    return this.accounts.list(call.actor, call.query);
  }

  @Operation(exchangeAccountOperations.get)
  exchangeAccount(call: Call<typeof exchangeAccountOperations.get>) {
    return this.accounts.get(call.actor, call.params.id);
  }

  @Operation(exchangeAccountOperations.create)
  createExchangeAccount(call: Call<typeof exchangeAccountOperations.create>) {
    return this.accounts.create(call.actor, call.body);
  }

  @Operation(exchangeAccountOperations.update)
  updateExchangeAccount(call: Call<typeof exchangeAccountOperations.update>) {
    return this.accounts.update(call.actor, call.params.id, call.body);
  }

  @Operation(exchangeAccountOperations.delete)
  deleteExchangeAccount(call: Call<typeof exchangeAccountOperations.delete>) {
    return this.accounts.delete(call.actor, call.params.id);
  }

  @Operation(exchangeAccountOperations.test)
  testExchangeCredentials(call: Call<typeof exchangeAccountOperations.test>) {
    return this.accounts.test(call.actor, call.body);
  }

  @Operation(exchangeAccountOperations.sync)
  syncExchangeAccount(call: Call<typeof exchangeAccountOperations.sync>) {
    return this.accounts.sync(call.actor, call.params.id);
  }
}
