import { randomBytes } from 'node:crypto';
import type { World } from '@trading-automation/contracts';
import type { Database, Listener } from '@trading-automation/persistence';

/** The dependencies that all services of a process share: the database, its LISTEN connection and the world. */
export class Platform {
  constructor(
    readonly world: World,
    readonly database: Database,
    readonly listener: Listener,
    /** Distinguishes this process from others of the same service. */
    readonly instance: string = randomBytes(6).toString('hex'),
  ) {}

  async close(): Promise<void> {
    await this.listener.stop();
    await this.database.destroy();
  }
}
