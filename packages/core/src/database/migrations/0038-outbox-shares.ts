import { OUTBOX_SHARES_SQL } from '@trading-automation/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the progress of relays by user, so that a user's backlog of events does not delay other users. */
export class OutboxShares1763700000038 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of OUTBOX_SHARES_SQL) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
