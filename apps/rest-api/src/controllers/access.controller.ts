import { Controller } from '@nestjs/common';
import { accessOperations } from '@trading-automation/contracts';
import { IdentityService, type LinkedIdentity } from '@trading-automation/core/access';
import { type Call, Operation, respond } from '../http/operation.js';

const { cliIdentity } = accessOperations;

@Controller()
export class AccessController {
  constructor(private readonly identity: IdentityService) {}

  @Operation(cliIdentity, ({ identity, isNew }: LinkedIdentity) =>
    respond(identity, { status: isNew ? 201 : 200, location: `/v1/auth/public-keys/${identity.id}` }),
  )
  identify(call: Call<typeof cliIdentity>) {
    return this.identity.identify(call.actor, call.body, call.idempotency);
  }
}
