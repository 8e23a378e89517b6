/**
 * Registers the routes of each operation on the server. A route calls the use case of its operation, or the controller
 * method that replaces the use case.
 *
 * Nest creates the services and controllers. This class registers the routes on Fastify; Nest's router does not. The
 * checks have a published order: route, method and size before credentials, credentials before the body. Nest would
 * spread these checks over guards, pipes, interceptors and filters.
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

  /** @throws {Error} if an operation has no handler or several, or if a handler belongs to no operation of this API */
  onModuleInit(): void {
    const handlers = this.operations.all().map((bound) => this.handlers.create(bound));
    serveOperations(this.host.httpAdapter.getInstance<FastifyInstance>(), handlers, this.options.logger);
  }
}
