import { PROCESS_CALL_SHARES_SQL } from '@trading-automation/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the user, the account and the lane of a call between processes. */
export class ProcessCallShares1763700000029 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of PROCESS_CALL_SHARES_SQL) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
