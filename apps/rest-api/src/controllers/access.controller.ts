import { Controller } from '@nestjs/common';
import { accessOperations } from '@trading-automation/contracts';
import {
  ApiKeysService,
  EmailVerificationService,
  IdentityService,
  type LinkedIdentity,
  PublicKeysService,
} from '@trading-automation/core/access';
import { type Call, Operation, respond } from '../http/operation.js';

const { me, updateMe, verifyEmail, cliChallenge, cliIdentity, listPublicKeys, revokePublicKey } =
  accessOperations;
const { listApiKeys, createApiKey, revokeApiKey, rotateApiKey } = accessOperations;

@Controller()
export class AccessController {
  constructor(
    private readonly identity: IdentityService,
    private readonly emails: EmailVerificationService,
    private readonly publicKeys: PublicKeysService,
    private readonly keys: ApiKeysService,
  ) {}

  @Operation(me)
  me(call: Call<typeof me>) {
    return this.identity.me(call.actor);
  }

  @Operation(updateMe)
  updateMe(call: Call<typeof updateMe>) {
    return this.emails.update(call.actor, call.body);
  }

  @Operation(verifyEmail)
  verifyEmail(call: Call<typeof verifyEmail>) {
    return this.emails.verify(call.query.code);
  }

  @Operation(cliChallenge)
  challenge(call: Call<typeof cliChallenge>) {
    return this.identity.challenge(call.query);
  }

  @Operation(cliIdentity, ({ identity, isNew }: LinkedIdentity) =>
    respond(identity, { status: isNew ? 201 : 200, location: `/v1/auth/public-keys/${identity.id}` }),
  )
  identify(call: Call<typeof cliIdentity>) {
    return this.identity.identify(call.actor, call.body, call.idempotency);
  }

  @Operation(listPublicKeys)
  listPublicKeys(call: Call<typeof listPublicKeys>) {
    return this.publicKeys.list(call.actor, call.query);
  }

  @Operation(revokePublicKey)
  revokePublicKey(call: Call<typeof revokePublicKey>) {
    return this.publicKeys.revoke(call.actor, call.params.id);
  }

  @Operation(listApiKeys)
  listKeys(call: Call<typeof listApiKeys>) {
    return this.keys.list(call.actor, call.query);
  }

  @Operation(createApiKey)
  createKey(call: Call<typeof createApiKey>) {
    return this.keys.create(call.actor, call.body);
  }

  @Operation(revokeApiKey)
  revokeKey(call: Call<typeof revokeApiKey>) {
    return this.keys.revoke(call.actor, call.params.id);
  }

  @Operation(rotateApiKey)
  rotateKey(call: Call<typeof rotateApiKey>) {
    return this.keys.rotate(call.actor, call.params.id);
  }
}
