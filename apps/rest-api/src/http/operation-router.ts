/**
 * Connects each operation to its controller method and registers its routes on the server.
 *
 * Nest creates the controllers, but their routes are registered on Fastify here instead of by Nest's router. The
 * published order of checks is one sequence (route, method and size before credentials, credentials before the body).
 * Guards, pipes, interceptors and filters would spread it over five places.
 */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, HttpAdapterHost, MetadataScanner } from '@nestjs/core';
import type { Operation } from '@trading-automation/contracts';
import type { FastifyInstance } from 'fastify';
import { BoundOperation } from './operation.js';
import { HttpOptions, OperationHandlers } from './operation-handlers.js';
import { serveOperations } from './operation-routes.js';

@Injectable()
export class OperationRouter implements OnModuleInit {
  constructor(
    @Inject(HttpOptions) private readonly options: HttpOptions,
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(OperationHandlers) private readonly handlers: OperationHandlers,
  ) {}

  /** @throws {Error} if an operation does not have exactly one method */
  onModuleInit(): void {
    const { operations, logger } = this.options;
    const methods = this.methods();
    assertComplete(
      operations,
      methods.map(({ operation }) => operation.id),
    );
    const handlers = methods.map((method) => this.handlers.create(method));
    serveOperations(this.host.httpAdapter.getInstance<FastifyInstance>(), handlers, logger);
  }

  private methods(): BoundOperation[] {
    const scanner = new MetadataScanner();
    return this.discovery
      .getControllers()
      .flatMap(({ instance }) =>
        scanner
          .getAllMethodNames(Object.getPrototypeOf(instance))
          .flatMap((name) => BoundOperation.of(instance, name) ?? []),
      );
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
