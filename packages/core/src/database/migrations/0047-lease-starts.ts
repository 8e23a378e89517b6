import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the start of a worker's lease. The column exists already where migration 46 ran while it added this column, too. */
export class LeaseStarts1763700000047 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE worker_leases ADD COLUMN IF NOT EXISTS started_at timestamptz NOT NULL DEFAULT clock_timestamp()',
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
