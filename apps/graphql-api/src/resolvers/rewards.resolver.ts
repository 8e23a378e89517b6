import { ResolveField, Resolver } from '@nestjs/graphql';
import type { RequestContext } from '../graphql/context.js';

@Resolver('Reward')
export class RewardFieldsResolver {
  @ResolveField()
  type(record: RewardRecord, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('rwt', record.typeId);
  }
}

interface RewardRecord {
  readonly typeId: string | null;
}
