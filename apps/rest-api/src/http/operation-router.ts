/**
 * Connects each operation to its use case, or to the controller method that replaces it, and registers its routes on
 * the server.
 *
 * Nest creates services and controllers, but their routes are registered on Fastify here instead of by Nest's router. The
 * published order of checks is one sequence (route, method and size before credentials, credentials before the body).
 * Guards, pipes, interceptors and filters would spread it over five places.
 */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { BoundOperations } from './bound-operations.js';
import { HttpOptions, OperationHandlers } from './operation-handlers.js';
import { serveOperations } from './operation-routes.js';

@Injectable()
export class OperationRouter implements OnModuleInit {
  constructor(
    private readonly options: HttpOptions,
    private readonly operations: BoundOperations,
    private readonly host: HttpAdapterHost,
    private readonly handlers: OperationHandlers,
  ) {}

  /** @throws {Error} if an operation has no use case and no controller method, or several of either */
  onModuleInit(): void {
    const handlers = this.operations.all().map((bound) => this.handlers.create(bound));
    serveOperations(this.host.httpAdapter.getInstance<FastifyInstance>(), handlers, this.options.logger);
  }
}
