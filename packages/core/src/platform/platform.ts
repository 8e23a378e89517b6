import { randomBytes } from 'node:crypto';
import type { World } from '@trading-automation/contracts';
import type { Database, Listener } from '@trading-automation/persistence';

/** What every service of a process is given: the database, its notifications and the world that the process serves. */
export class Platform {
  constructor(
    readonly world: World,
    readonly database: Database,
    readonly listener: Listener,
    /** Distinguishes this process from the others of its kind. */
    readonly instance: string = randomBytes(6).toString('hex'),
  ) {}

  async close(): Promise<void> {
    await this.listener.stop();
    await this.database.destroy();
  }
}
