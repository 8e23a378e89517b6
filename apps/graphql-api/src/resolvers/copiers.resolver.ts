import { ResolveField, Resolver } from '@nestjs/graphql';
import type { RequestContext } from '../graphql/context.js';

@Resolver('Copier')
export class CopierFieldsResolver {
  @ResolveField()
  strategy(record: CopierRecord, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('str', record.strategyId);
  }

  @ResolveField()
  exchangeAccount(record: CopierRecord, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('exa', record.exchangeAccountId);
  }
}

interface CopierRecord {
  readonly strategyId: string | null;
  readonly exchangeAccountId: string | null;
}

@Resolver('Decision')
export class DecisionFieldsResolver {
  @ResolveField()
  copier(record: DecisionRecord, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('cpr', record.copierId);
  }

  @ResolveField()
  strategy(record: DecisionRecord, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('str', record.strategyId);
  }

  @ResolveField()
  sourceTrade(record: DecisionRecord, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('trd', record.sourceTradeId);
  }

  @ResolveField()
  trade(record: DecisionRecord, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('trd', record.tradeId);
  }
}

interface DecisionRecord {
  readonly copierId: string | null;
  readonly strategyId: string | null;
  readonly sourceTradeId: string | null;
  readonly tradeId: string | null;
}
