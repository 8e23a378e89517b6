import { Injectable } from '@nestjs/common';
import type { RateBucket } from '@trading-automation/contracts';
import { type Actor, CommandRunner } from '@trading-automation/core';
import { type IncomingRequest, RateLimiter } from '@trading-automation/core/access';
import { DeprecatedUsageService } from '@trading-automation/core/sign-in';
import type { RequestContext } from '../graphql/context.js';
import { LoaderFactory } from '../graphql/loaders.js';

/** One operation and its caller. */
export interface RequestContextInput {
  readonly actor: Actor | null;
  readonly incoming: IncomingRequest;
  readonly requestId: string;
  readonly disconnected?: RequestContext['disconnected'];
  readonly idempotency?: RequestContext['idempotency'];
}

/** Creates the context that the resolvers of one operation share. */
@Injectable()
export class RequestContexts {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly commands: CommandRunner,
    private readonly loaders: LoaderFactory,
    private readonly deprecatedUse: DeprecatedUsageService,
  ) {}

  create({ actor, incoming, requestId, disconnected, idempotency }: RequestContextInput): RequestContext {
    return {
      actor,
      incoming,
      requestId,
      disconnected,
      idempotency,
      limitsOf: (bucket: RateBucket | undefined) => this.limiter.limitsFor(bucket)(incoming.address),
      commands: this.commands,
      recordDeprecatedUse: (mutation) => this.deprecatedUse.note(mutation),
      loaders: this.loaders.create(actor),
      isReplayed: false,
    };
  }
}
