import { ResolveField, Resolver } from '@nestjs/graphql';
import type { RequestContext } from '../graphql/context.js';

@Resolver('Position')
export class PositionFieldsResolver {
  @ResolveField()
  exchangeAccount(record: PositionRecord, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('exa', record.exchangeAccountId);
  }

  @ResolveField()
  tradePair(record: PositionRecord, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('tpr', record.tradePairId);
  }
}

interface PositionRecord {
  readonly exchangeAccountId: string | null;
  readonly tradePairId: string | null;
}
