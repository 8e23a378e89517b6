import { type DynamicModule, Module } from '@nestjs/common';
import type { VerifyEngine } from '@trading-automation/signed-request';
import { CommandRunner, ListReader } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { BrowserSessionsService } from './browser-sessions.service.js';
import { DeviceAuthorizationsService } from './device-authorizations.service.js';

const SERVICES = [BrowserSessionsService, DeviceAuthorizationsService] as const;

@Module({})
export class BrowserSessionsModule {
  /** @param engine the library that verifies signatures */
  static with(engine: VerifyEngine): DynamicModule {
    return {
      module: BrowserSessionsModule,
      providers: SERVICES.map((Service) => ({
        provide: Service,
        useFactory: (platform: Platform, lists: ListReader, commands: CommandRunner) =>
          new Service({ platform, lists, commands, engine }),
        inject: [Platform, ListReader, CommandRunner],
      })),
      exports: [...SERVICES],
    };
  }
}
