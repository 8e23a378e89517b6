import { ResolveField, Resolver } from '@nestjs/graphql';
import type { RequestContext } from '../graphql/context.js';

@Resolver('Strategy')
export class StrategyFieldsResolver {
  @ResolveField()
  exchangeAccount(record: StrategyRecord, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('exa', record.exchangeAccountId);
  }
}

interface StrategyRecord {
  readonly exchangeAccountId: string | null;
}
