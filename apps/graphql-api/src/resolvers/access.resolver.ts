import { Resolver } from '@nestjs/graphql';
import { accessOperations } from '@trading-automation/contracts';
import {
  ApiKeysService,
  EmailVerificationService,
  IdentityService,
  type LinkedIdentity,
  PublicKeysService,
} from '@trading-automation/core/access';
import { type Call, Operation } from '../graphql/operation.js';

@Resolver()
export class AccessResolver {
  constructor(
    private readonly identity: IdentityService,
    private readonly emails: EmailVerificationService,
    private readonly keys: ApiKeysService,
    private readonly publicKeyRing: PublicKeysService,
  ) {}

  @Operation(accessOperations.me)
  me(call: Call<typeof accessOperations.me>) {
    return this.identity.me(call.actor);
  }

  @Operation(accessOperations.cliChallenge)
  cliChallenge(call: Call<typeof accessOperations.cliChallenge>) {
    return this.identity.challenge(call.query);
  }

  @Operation(accessOperations.listApiKeys)
  apiKeys(call: Call<typeof accessOperations.listApiKeys>) {
    return this.keys.list(call.actor, call.query);
  }

  @Operation(accessOperations.listPublicKeys)
  publicKeys(call: Call<typeof accessOperations.listPublicKeys>) {
    return this.publicKeyRing.list(call.actor, call.query);
  }

  @Operation(accessOperations.updateMe)
  updateMe(call: Call<typeof accessOperations.updateMe>) {
    return this.emails.update(call.actor, call.body);
  }

  @Operation(accessOperations.verifyEmail, { as: 'mutation' })
  verifyEmail(call: Call<typeof accessOperations.verifyEmail>) {
    return this.emails.verify(call.query.code);
  }

  @Operation(accessOperations.cliIdentity, { mapResult: ({ identity }: LinkedIdentity) => identity })
  linkPublicKey(call: Call<typeof accessOperations.cliIdentity>) {
    return this.identity.identify(call.actor, call.body, call.idempotency);
  }

  @Operation(accessOperations.createApiKey)
  createApiKey(call: Call<typeof accessOperations.createApiKey>) {
    return this.keys.create(call.actor, call.body);
  }

  @Operation(accessOperations.revokeApiKey)
  revokeApiKey(call: Call<typeof accessOperations.revokeApiKey>) {
    return this.keys.revoke(call.actor, call.params.id);
  }

  @Operation(accessOperations.rotateApiKey)
  rotateApiKey(call: Call<typeof accessOperations.rotateApiKey>) {
    return this.keys.rotate(call.actor, call.params.id);
  }

  @Operation(accessOperations.revokePublicKey)
  revokePublicKey(call: Call<typeof accessOperations.revokePublicKey>) {
    return this.publicKeyRing.revoke(call.actor, call.params.id);
  }
}
