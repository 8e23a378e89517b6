import { ResolveField, Resolver } from '@nestjs/graphql';
import { copierOperations, simulationOperations } from '@trading-automation/contracts';
import { CopierSimulation, CopiersService } from '@trading-automation/core/copiers';
import type { RequestContext } from '../graphql/context.js';
import { type Call, Operation } from '../graphql/operation.js';

@Resolver()
export class CopiersResolver {
  constructor(
    private readonly copiersService: CopiersService,
    private readonly simulation: CopierSimulation,
  ) {}

  @Operation(copierOperations.list)
  copiers(call: Call<typeof copierOperations.list>) {
    return this.copiersService.list(call.actor, call.query);
  }

  @Operation(copierOperations.get)
  copier(call: Call<typeof copierOperations.get>) {
    return this.copiersService.get(call.actor, call.params.id);
  }

  @Operation(copierOperations.decisions, { params: { copierId: 'id' } })
  copierDecisions(call: Call<typeof copierOperations.decisions>) {
    return this.copiersService.decisions(call.actor, call.params.id, call.query);
  }

  @Operation(simulationOperations.simulate, { as: 'query' })
  simulateCopier(call: Call<typeof simulationOperations.simulate>) {
    return this.simulation.simulate(call.actor, call.params.id, call.body);
  }

  @Operation(copierOperations.create)
  createCopier(call: Call<typeof copierOperations.create>) {
    return this.copiersService.create(call.actor, call.body);
  }

  @Operation(copierOperations.update)
  updateCopier(call: Call<typeof copierOperations.update>) {
    return this.copiersService.update(call.actor, call.params.id, call.body);
  }

  @Operation(copierOperations.delete)
  deleteCopier(call: Call<typeof copierOperations.delete>) {
    return this.copiersService.delete(call.actor, call.params.id);
  }

  @Operation(copierOperations.start)
  startCopier(call: Call<typeof copierOperations.start>) {
    return this.copiersService.start(call.actor, call.params.id, call.body);
  }

  @Operation(copierOperations.stop)
  stopCopier(call: Call<typeof copierOperations.stop>) {
    return this.copiersService.stop(call.actor, call.params.id, call.body);
  }
}

@Resolver('Copier')
export class CopierFieldsResolver {
  @ResolveField()
  strategy(record: CopierIds, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('str', record.strategyId);
  }

  @ResolveField()
  exchangeAccount(record: CopierIds, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('exa', record.exchangeAccountId);
  }
}

interface CopierIds {
  readonly strategyId: string | null;
  readonly exchangeAccountId: string | null;
}

@Resolver('Decision')
export class DecisionFieldsResolver {
  @ResolveField()
  copier(record: DecisionIds, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('cpr', record.copierId);
  }

  @ResolveField()
  strategy(record: DecisionIds, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('str', record.strategyId);
  }

  @ResolveField()
  sourceTrade(record: DecisionIds, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('trd', record.sourceTradeId);
  }

  @ResolveField()
  trade(record: DecisionIds, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('trd', record.tradeId);
  }
}

interface DecisionIds {
  readonly copierId: string | null;
  readonly strategyId: string | null;
  readonly sourceTradeId: string | null;
  readonly tradeId: string | null;
}
