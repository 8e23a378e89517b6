import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, DiscoveryModule } from '@nestjs/core';
import type { Operation } from '@trading-automation/contracts';
import type { UseCase } from '@trading-automation/core';
import type { Logger } from '@trading-automation/runtime';
import { BoundOperations, ServedOperations } from './bound-operations.js';
import { HttpOptions, OperationHandlers } from './operation-handlers.js';
import { OperationRouter } from './operation-router.js';
import { NestExceptionFilter } from './replies.js';

export interface HttpModuleOptions {
  readonly operations: readonly Operation[];
  /** Default: none. Every operation then needs a controller method. */
  readonly useCases?: readonly UseCase[];
  readonly logger: Logger;
  /** The module that exports `Authentication` and `RateLimiter`. */
  readonly access: DynamicModule;
}

/** Serves the operations by their use cases, or by the controller methods that replace them. */
@Module({})
export class HttpModule {
  static with({ operations, useCases = [], logger, access }: HttpModuleOptions): DynamicModule {
    return {
      module: HttpModule,
      imports: [DiscoveryModule, access],
      providers: [
        { provide: ServedOperations, useValue: new ServedOperations(operations, useCases) },
        { provide: HttpOptions, useValue: new HttpOptions(logger) },
        { provide: APP_FILTER, useClass: NestExceptionFilter },
        BoundOperations,
        OperationHandlers,
        OperationRouter,
      ],
    };
  }
}
