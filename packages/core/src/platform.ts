import { randomBytes } from 'node:crypto';
import type { World } from '@trading-automation/contracts';
import { createListener, type Database, type Listener } from '@trading-automation/persistence';
import { openDatabase } from './data-source.js';

/** What every service of a process stands on: the database, its notifications, and the world that is served. */
export class Platform {
  constructor(
    readonly world: World,
    readonly database: Database,
    readonly listener: Listener,
    /** Tells this process from the others of its kind. */
    readonly instance: string = randomBytes(6).toString('hex'),
  ) {}

  async close(): Promise<void> {
    await this.listener.stop();
    await this.database.destroy();
  }
}

export interface PlatformOptions {
  readonly world: World;
  readonly databaseUrl: string;
  readonly applicationName: string;
  readonly poolSize?: number;
  /** Told of every lost or failed connection of the listener, which goes on by itself. */
  readonly onListenerError: (error: unknown) => void;
}

/** @throws where the database can't be reached, or lacks a migration of this release */
export async function openPlatform(options: PlatformOptions): Promise<Platform> {
  const { world, databaseUrl, applicationName, poolSize, onListenerError } = options;
  const database = await openDatabase({
    url: databaseUrl,
    applicationName,
    ...(poolSize === undefined ? {} : { poolSize }),
  });
  const listener = createListener({ url: databaseUrl, applicationName, onError: onListenerError });
  return new Platform(world, database, listener);
}
