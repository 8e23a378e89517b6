import type { Version } from '@trading-automation/contracts';
import type { Platform } from '../platform/index.js';

/** The running build and its world. */
export class BuildInfo {
  constructor(
    private readonly release: string,
    private readonly commit: string,
    private readonly platform: Platform,
  ) {}

  /** @throws if the database is unavailable, as every operation but the liveness check does */
  async version(): Promise<Version> {
    await this.platform.database.query('SELECT 1');
    return { version: this.release, commit: this.commit, api: 'v1', world: this.platform.world };
  }
}
