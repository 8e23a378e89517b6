import { createHmac, hkdfSync } from 'node:crypto';
import { type DynamicModule, Module } from '@nestjs/common';
import { createCursorCodec } from '@trading-automation/pagination';
import { createIdempotency } from '@trading-automation/persistence';
import { Commands } from './commands.js';
import { Lists } from './lists.js';
import { Platform } from './platform.js';
import type { ServerKeys } from './server-keys.js';

/** Gives every feature of a process what it stands on. An API has server keys, a worker has none. */
@Module({})
export class CoreModule {
  static forWorker(platform: Platform): DynamicModule {
    const providers = [{ provide: Platform, useValue: platform }];
    return { module: CoreModule, global: true, providers, exports: [Platform] };
  }

  static forApi(platform: Platform, serverKeys: ServerKeys): DynamicModule {
    const cursorKey = Buffer.from(hkdfSync('sha256', serverKeys[0], '', 'cursors v1', 32));
    const cursors = createCursorCodec((bytes) =>
      createHmac('sha256', cursorKey).update(bytes).digest().subarray(0, 16),
    );
    const providers = [
      { provide: Platform, useValue: platform },
      { provide: Lists, useValue: new Lists(platform, cursors) },
      { provide: Commands, useValue: new Commands(platform, createIdempotency(serverKeys)) },
    ];
    return { module: CoreModule, global: true, providers, exports: [Platform, Lists, Commands] };
  }
}
