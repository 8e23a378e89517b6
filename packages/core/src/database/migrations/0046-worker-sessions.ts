import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the database server at which a worker held its session lock when it renewed its lease. Null while it holds none,
 * and for workers of the previous release.
 */
export class WorkerSessions1763700000046 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE worker_leases ADD COLUMN session_server timestamptz');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
