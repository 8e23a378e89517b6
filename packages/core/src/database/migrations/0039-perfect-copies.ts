import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the amount that a perfect copy of the signal buys, in base currency, from which the tracking difference is computed,
 * and an index of copied lots. The amount is null in exits, in entries that were not to be copied, and in rows of the previous release, whose
 * `target_amount` then counts.
 */
export class PerfectCopies1763700000039 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE decisions ADD COLUMN perfect_amount numeric');
    // For the copies of one lot.
    await runner.query(
      'CREATE INDEX lots_copied_idx ON lots (source_trade_id, copier_id) WHERE copier_id IS NOT NULL',
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
