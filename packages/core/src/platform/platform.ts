import { randomBytes } from 'node:crypto';
import type { World } from '@trading-automation/contracts';
import { type Database, isSessionLocked, type Listener } from '@trading-automation/persistence';

/** Returns a random name for this process. */
export const newInstance = (): string => randomBytes(6).toString('hex');

const SESSION_LOCK_PREFIX = 'process ';

/** Returns the name of the advisory lock that the listener of a process holds. */
export const sessionLockOf = (instance: string): string => `${SESSION_LOCK_PREFIX}${instance}`;

/** Returns an SQL expression: whether the listener of a process is connected. */
export const isInstanceConnected = (instanceSql: string): string =>
  isSessionLocked(`'${SESSION_LOCK_PREFIX}' || ${instanceSql}`);

/** The dependencies that all services of a process share: the database, its LISTEN connection and the world. */
export class Platform {
  constructor(
    readonly world: World,
    readonly database: Database,
    readonly listener: Listener,
    /** Distinguishes this process from others of the same service. */
    readonly instance: string = newInstance(),
  ) {}

  async close(): Promise<void> {
    await this.listener.stop();
    await this.database.destroy();
  }
}
