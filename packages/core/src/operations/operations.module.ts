import { createHmac, hkdfSync } from 'node:crypto';
import { type DynamicModule, Module } from '@nestjs/common';
import { createCursorCodec } from '@trading-automation/pagination';
import { createIdempotencyStore } from '@trading-automation/persistence';
import type { Platform, ServerKeys } from '../platform/index.js';
import { CommandRunner } from './command-runner.js';
import { ListReader } from './list-reader.js';

/** Provides the lists and commands of an API. Workers have no server keys and need neither. */
@Module({})
export class OperationsModule {
  static with(platform: Platform, serverKeys: ServerKeys): DynamicModule {
    const cursorKey = Buffer.from(hkdfSync('sha256', serverKeys[0], '', 'cursors v1', 32));
    const cursors = createCursorCodec((bytes) =>
      createHmac('sha256', cursorKey).update(bytes).digest().subarray(0, 16),
    );
    const providers = [
      { provide: ListReader, useValue: new ListReader(platform, cursors) },
      { provide: CommandRunner, useValue: new CommandRunner(platform, createIdempotencyStore(serverKeys)) },
    ];
    return { module: OperationsModule, global: true, providers, exports: [ListReader, CommandRunner] };
  }
}
