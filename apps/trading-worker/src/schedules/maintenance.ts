import { type Platform, runHousekeeping } from '@trading-automation/core';
import { purgeStaleOwners } from '@trading-automation/core/exchange-accounts';
import { clearOldRequests } from '@trading-automation/core/request-log';
import { notifyMultiplierOwners } from '@trading-automation/core/strategies';
import type { Logger } from '@trading-automation/runtime';
import type { ResultUpkeep } from './result-upkeep.js';

/** Keeps derived rows up to date, deletes expired ones, and sends the notices that a migration left. */
export class Maintenance {
  constructor(
    private readonly platform: Platform,
    readonly results: ResultUpkeep,
    private readonly logger: Logger,
  ) {}

  async runHousekeeping(): Promise<void> {
    const removed = await runHousekeeping(this.platform);
    await notifyMultiplierOwners(this.platform.database);
    await clearOldRequests(this.platform.database);
    const owners = await purgeStaleOwners(this.platform);
    if (removed !== null)
      this.logger.debug(
        { event: 'housekeeping.completed', removed, owners },
        'Housekeeping deleted expired rows.',
      );
  }
}
