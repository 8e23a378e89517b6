import type { World } from '@trading-automation/contracts';
import { createListener } from '@trading-automation/persistence';
import { assertWorld, newInstance, Platform, sessionLockOf } from '../platform/index.js';
import { openDatabase } from './data-source.js';

export interface PlatformOptions {
  readonly world: World;
  readonly databaseUrl: string;
  readonly applicationName: string;
  readonly poolSize?: number;
  /** The server cancels statements that run for longer than this. Default: that of `createDataSource`. */
  readonly statementTimeoutMs?: number;
  /** Called for every lost or failed connection of the listener, which reconnects automatically. */
  readonly onListenerError: (error: unknown) => void;
}

/** Connects to the database. @throws if it is unreachable, lacks a migration of this release, or is of the other world */
export async function openPlatform(options: PlatformOptions): Promise<Platform> {
  const { world, databaseUrl, applicationName, poolSize, statementTimeoutMs, onListenerError } = options;
  const database = await openDatabase({
    url: databaseUrl,
    applicationName,
    ...(poolSize === undefined ? {} : { poolSize }),
    ...(statementTimeoutMs === undefined ? {} : { statementTimeoutMs }),
  });
  try {
    await assertWorld(database, world);
  } catch (error) {
    await database.destroy();
    throw error;
  }
  const instance = newInstance();
  const listener = createListener({
    url: databaseUrl,
    applicationName,
    sessionLock: sessionLockOf(instance),
    onError: onListenerError,
  });
  return new Platform(world, database, listener, instance);
}
