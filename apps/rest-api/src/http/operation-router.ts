/**
 * Connects each operation to its use-case, or to the controller method that overrides it, and registers its routes on
 * the server.
 *
 * Nest creates services and controllers, but their routes are registered on Fastify here instead of by Nest's router. The
 * published order of checks is one sequence (route, method and size before credentials, credentials before the body).
 * Guards, pipes, interceptors and filters would spread it over five places.
 */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, HttpAdapterHost, MetadataScanner, ModuleRef } from '@nestjs/core';
import type { Operation } from '@trading-automation/contracts';
import { CommandRunner, type UseCase } from '@trading-automation/core';
import { Authentication, RateLimiter } from '@trading-automation/core/access';
import type { Logger } from '@trading-automation/runtime';
import type { FastifyInstance } from 'fastify';
import { type OperationMethod, operationMethodOf } from './operation.js';
import { OperationHandler } from './operation-handler.js';
import { serveOperations } from './operation-routes.js';

/** The operations to serve, their use-cases and the logger. */
export class HttpOptions {
  constructor(
    readonly operations: readonly Operation[],
    readonly useCases: readonly UseCase[],
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
    @Inject(ModuleRef) private readonly container: ModuleRef,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(Authentication) private readonly authentication: Authentication,
    @Inject(RateLimiter) private readonly limiter: RateLimiter,
    @Inject(CommandRunner) private readonly commands: CommandRunner,
  ) {}

  /** @throws {Error} if an operation has neither a use-case nor a controller method, or several of one kind */
  onModuleInit(): void {
    const { operations, logger } = this.options;
    const overrides = this.controllerMethods();
    const overridden = new Set(overrides.map(({ operation }) => operation.id));
    const methods = [
      ...overrides,
      ...this.useCases().filter(({ operation }) => !overridden.has(operation.id)),
    ];
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

  private useCases(): BoundMethod[] {
    return this.options.useCases.map(({ operation, service, invoke }) => {
      const instance = this.container.get<object>(service, { strict: false });
      return { operation, mapResult: (result) => result, invoke: (call) => invoke(instance, call) };
    });
  }

  private controllerMethods(): BoundMethod[] {
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

/** Throws unless every operation has exactly one handler and every handler belongs to an operation. */
function assertComplete(operations: readonly Operation[], handled: readonly string[]): void {
  const ids = operations.map(({ id }) => id);
  const problems = [
    ...ids
      .filter((id) => !handled.includes(id))
      .map((id) => `${id} has no controller method and no use-case`),
    ...[...new Set(handled)]
      .filter((id) => handled.indexOf(id) !== handled.lastIndexOf(id))
      .map((id) => `${id} has several use-cases or controller methods`),
    ...handled.filter((id) => !ids.includes(id)).map((id) => `${id} is not an operation of this API`),
  ];
  if (problems.length > 0) throw new Error(`The handlers do not match the contract: ${problems.join('; ')}`);
}
