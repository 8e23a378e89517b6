/**
 * Connects each operation to its controller method and registers its routes on the server.
 *
 * Nest creates the controllers, but their routes are registered on Fastify here instead of by Nest's router. The
 * published order of checks is one sequence (route, method and size before credentials, credentials before the body).
 * Guards, pipes, interceptors and filters would spread it over five places.
 */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, HttpAdapterHost, MetadataScanner } from '@nestjs/core';
import type { Operation } from '@trading-automation/contracts';
import { CommandRunner } from '@trading-automation/core';
import { Authentication, RateLimiter } from '@trading-automation/core/access';
import type { Logger } from '@trading-automation/runtime';
import type { FastifyInstance } from 'fastify';
import { type OperationMethod, operationMethodOf } from './operation.js';
import { OperationHandler } from './operation-handler.js';
import { serveOperations } from './operation-routes.js';

/** The operations to serve and the logger. */
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
    private readonly options: HttpOptions,
    private readonly discovery: DiscoveryService,
    private readonly host: HttpAdapterHost,
    private readonly authentication: Authentication,
    private readonly limiter: RateLimiter,
    private readonly commands: CommandRunner,
  ) {}

  /** @throws {Error} if an operation does not have exactly one method */
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

/** Throws unless every operation has exactly one method and every method belongs to an operation. */
function assertComplete(operations: readonly Operation[], handled: readonly string[]): void {
  const ids = operations.map(({ id }) => id);
  const problems = [
    ...ids.filter((id) => !handled.includes(id)).map((id) => `${id} has no controller method`),
    ...[...new Set(handled)]
      .filter((id) => handled.indexOf(id) !== handled.lastIndexOf(id))
      .map((id) => `${id} has several controller methods`),
    ...handled.filter((id) => !ids.includes(id)).map((id) => `${id} is not an operation of this API`),
  ];
  if (problems.length > 0)
    throw new Error(`The controllers do not match the contract: ${problems.join('; ')}`);
}
