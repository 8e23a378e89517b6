import { type DynamicModule, Module } from '@nestjs/common';
import { Platform } from './platform.js';

/** Provides the platform to every feature of a process. */
@Module({})
export class PlatformModule {
  static with(platform: Platform): DynamicModule {
    const providers = [{ provide: Platform, useValue: platform }];
    return { module: PlatformModule, global: true, providers, exports: [Platform] };
  }
}
