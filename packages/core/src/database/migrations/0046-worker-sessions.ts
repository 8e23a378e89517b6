import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the start of a worker's lease, and the database server at which the worker held its session lock when it renewed
 * the lease. The latter is null while it holds none, and for workers of the previous release.
 */
export class WorkerSessions1763700000046 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE worker_leases ADD COLUMN session_server timestamptz,
        ADD COLUMN started_at timestamptz NOT NULL DEFAULT clock_timestamp()`);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
