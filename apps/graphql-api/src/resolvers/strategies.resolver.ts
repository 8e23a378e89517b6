import { ResolveField, Resolver } from '@nestjs/graphql';
import type { RequestContext } from '../graphql/context.js';

@Resolver('Strategy')
export class StrategyFieldsResolver {
  @ResolveField()
  exchangeAccount(record: StrategyIds, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('exa', record.exchangeAccountId);
  }
}

interface StrategyIds {
  readonly exchangeAccountId: string | null;
}
