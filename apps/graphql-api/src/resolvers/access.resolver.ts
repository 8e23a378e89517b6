import { Resolver } from '@nestjs/graphql';
import { accessOperations } from '@trading-automation/contracts';
import { IdentityService, type LinkedIdentity } from '@trading-automation/core/access';
import { type Call, Operation } from '../graphql/operation.js';

@Resolver()
export class AccessResolver {
  constructor(private readonly identity: IdentityService) {}

  /** Replaces the generated resolver, because only REST reports whether the identity is new. */
  @Operation(accessOperations.cliIdentity, { mapResult: ({ identity }: LinkedIdentity) => identity })
  linkPublicKey(call: Call<typeof accessOperations.cliIdentity>) {
    return this.identity.identify(call.actor, call.body, call.idempotency);
  }
}
