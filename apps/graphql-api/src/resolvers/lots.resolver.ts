import { ResolveField, Resolver } from '@nestjs/graphql';
import type { RequestContext } from '../graphql/context.js';

@Resolver('Lot')
export class LotFieldsResolver {
  @ResolveField()
  exchangeAccount(record: LotRecord, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('exa', record.exchangeAccountId);
  }

  @ResolveField()
  tradePair(record: LotRecord, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('tpr', record.tradePairId);
  }

  @ResolveField()
  strategy(record: LotRecord, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('str', record.strategyId);
  }

  @ResolveField()
  copier(record: LotRecord, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('cpr', record.copierId);
  }

  @ResolveField()
  trade(record: LotRecord, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('trd', record.tradeId);
  }
}

interface LotRecord {
  readonly exchangeAccountId: string | null;
  readonly tradePairId: string | null;
  readonly strategyId: string | null;
  readonly copierId: string | null;
  readonly tradeId: string | null;
}
