import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the last report that an account's stream was live. It outlasts the states that follow, so that a takeover keeps it. */
export class LastLive1763700000048 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account_watches ADD COLUMN live_at timestamptz');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
