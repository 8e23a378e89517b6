import { Query, Resolver } from '@nestjs/graphql';
import { DomainError } from '@trading-automation/contracts';
import { authorise } from '@trading-automation/core';

import type { RequestContext } from '../graphql/context.js';

@Resolver()
export class NodeResolver {
  @Query()
  async node(_root: unknown, { id }: { readonly id: string }, { actor, loaders }: RequestContext) {
    try {
      if (actor === null) throw new DomainError('authentication_required');
      authorise(actor, 'READ');
      return await loaders.node(id);
    } catch (error) {
      // Returned instead of thrown, because Nest logs thrown errors as internal errors.
      return error;
    }
  }
}
