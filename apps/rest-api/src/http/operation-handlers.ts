import { Injectable } from '@nestjs/common';
import { CommandRunner } from '@trading-automation/core';
import { Authentication, RateLimiter } from '@trading-automation/core/access';
import type { Logger } from '@trading-automation/runtime';
import type { BoundOperation } from './operation.js';
import { OperationHandler } from './operation-handler.js';
import { RequestAdmission } from './request-admission.js';

/** The logger of the HTTP server. */
export class HttpOptions {
  constructor(readonly logger: Logger) {}
}

@Injectable()
export class OperationHandlers {
  constructor(
    private readonly options: HttpOptions,
    private readonly authentication: Authentication,
    private readonly limiter: RateLimiter,
    private readonly commands: CommandRunner,
  ) {}

  /** Creates the handler of an operation, with the access and the rate limit that the operation requires. */
  create(bound: BoundOperation): OperationHandler {
    const { access, bucket } = bound.operation;
    const admission = new RequestAdmission(access, bucket, this.authentication, this.limiter);
    return new OperationHandler(bound, admission, this.commands, this.options.logger);
  }
}
