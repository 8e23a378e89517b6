import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, DiscoveryModule } from '@nestjs/core';
import type { Operation } from '@trading-automation/contracts';
import type { Logger } from '@trading-automation/runtime';
import { HttpOptions, OperationHandlers } from './operation-handlers.js';
import { OperationRouter } from './operation-router.js';
import { NestExceptionFilter } from './replies.js';

export interface HttpModuleOptions {
  readonly operations: readonly Operation[];
  readonly logger: Logger;
  /** The module that exports `Authentication` and `RateLimiter`. */
  readonly access: DynamicModule;
}

/** Serves the operations through the controllers of the application. */
@Module({})
export class HttpModule {
  static with({ operations, logger, access }: HttpModuleOptions): DynamicModule {
    return {
      module: HttpModule,
      imports: [DiscoveryModule, access],
      providers: [
        { provide: HttpOptions, useValue: new HttpOptions(operations, logger) },
        { provide: APP_FILTER, useClass: NestExceptionFilter },
        OperationHandlers,
        OperationRouter,
      ],
    };
  }
}
