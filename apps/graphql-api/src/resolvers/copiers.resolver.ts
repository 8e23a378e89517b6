import { ResolveField, Resolver } from '@nestjs/graphql';
import type { RequestContext } from '../graphql/context.js';

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
