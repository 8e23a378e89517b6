import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the amount that a perfect copy of the signal buys, in base currency, from which the tracking difference is computed.
 * It is null in exits, in entries that were not to be copied, and in rows of the previous release, whose
 * `target_amount` then counts.
 */
export class PerfectCopies1763700000039 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE decisions ADD COLUMN perfect_amount numeric');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
