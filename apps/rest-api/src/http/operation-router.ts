/**
 * Ties the operations to the controllers' methods that answer them, and both to the server.
 *
 * Nest builds the controllers; their routes are registered on Fastify here and not by Nest's router, because the
 * published order of checks (route, method and size before credentials, credentials before the body is looked at)
 * is one sequence, which guards, pipes, interceptors and filters would spread over five places.
 */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, HttpAdapterHost, MetadataScanner } from '@nestjs/core';
import type { Operation } from '@trading-automation/contracts';
import { CommandRunner } from '@trading-automation/core';
import { Authentication, RateLimiter } from '@trading-automation/core/access';
import type { Logger } from '@trading-automation/runtime';
import type { FastifyInstance } from 'fastify';
import { type OperationMethod, operationMethodOf } from './operation.js';
import { OperationHandler } from './operation-handler.js';
import { serveOperations } from './operation-routes.js';

/** What the API serves and where it logs. */
export class HttpOptions {
  constructor(
    readonly operations: readonly Operation[],
    readonly logger: Logger,
  ) {}
}

interface BoundMethod extends OperationMethod {
  readonly invoke: (call: unknown) => unknown;
}

@Injectable()
export class OperationRouter implements OnModuleInit {
  constructor(
    @Inject(HttpOptions) private readonly options: HttpOptions,
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(Authentication) private readonly authentication: Authentication,
    @Inject(RateLimiter) private readonly limiter: RateLimiter,
    @Inject(CommandRunner) private readonly commands: CommandRunner,
  ) {}

  /** @throws where an operation has no method, or more than one */
  onModuleInit(): void {
    const { operations, logger } = this.options;
    const methods = this.methods();
    assertComplete(
      operations,
      methods.map(({ operation }) => operation.id),
    );
    const handlers = methods.map(
      (method) =>
        new OperationHandler({
          ...method,
          logger,
          authenticate: (incoming, limits) => this.authentication.authenticate(incoming, limits),
          limitsOf: this.limiter.limitsFor(method.operation.bucket),
          commands: this.commands,
        }),
    );
    serveOperations(this.host.httpAdapter.getInstance<FastifyInstance>(), handlers, logger);
  }

  private methods(): BoundMethod[] {
    const scanner = new MetadataScanner();
    return this.discovery.getControllers().flatMap(({ instance }) => {
      const prototype = Object.getPrototypeOf(instance);
      return scanner.getAllMethodNames(prototype).flatMap((name): BoundMethod[] => {
        const method = operationMethodOf(prototype[name]);
        return method === undefined ? [] : [{ ...method, invoke: (call) => instance[name](call) }];
      });
    });
  }
}

/** Every operation is answered by exactly one method, and no method answers another. */
function assertComplete(operations: readonly Operation[], answered: readonly string[]): void {
  const ids = operations.map(({ id }) => id);
  const problems = [
    ...ids.filter((id) => !answered.includes(id)).map((id) => `${id} has no controller method`),
    ...[...new Set(answered)]
      .filter((id) => answered.indexOf(id) !== answered.lastIndexOf(id))
      .map((id) => `${id} has several controller methods`),
    ...answered.filter((id) => !ids.includes(id)).map((id) => `${id} is no operation of this API`),
  ];
  if (problems.length > 0) throw new Error(`The controllers do not fit the contract: ${problems.join('; ')}`);
}
