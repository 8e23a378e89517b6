import { Injectable } from '@nestjs/common';
import type { Operation } from '@trading-automation/contracts';
import { CommandRunner, type UseCase } from '@trading-automation/core';
import { Authentication, RateLimiter } from '@trading-automation/core/access';
import type { Logger } from '@trading-automation/runtime';
import type { BoundOperation } from './operation.js';
import { OperationHandler } from './operation-handler.js';
import { RequestAdmission } from './request-admission.js';

/** The operations to serve, their use cases and the logger. */
export class HttpOptions {
  constructor(
    readonly operations: readonly Operation[],
    readonly useCases: readonly UseCase[],
    readonly logger: Logger,
  ) {}
}

/** Creates the handlers of operations. */
@Injectable()
export class OperationHandlers {
  constructor(
    private readonly options: HttpOptions,
    private readonly authentication: Authentication,
    private readonly limiter: RateLimiter,
    private readonly commands: CommandRunner,
  ) {}

  /** Creates the handler of an operation that a controller method is bound to. */
  create(bound: BoundOperation): OperationHandler {
    const { access, bucket } = bound.operation;
    const admission = new RequestAdmission(access, bucket, this.authentication, this.limiter);
    return new OperationHandler(bound, admission, this.commands, this.options.logger);
  }
}
