import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores when the lists of the exchange first did not show an order whose look-up proves nothing. */
export class UnlistedOrders1763700000065 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE trades ADD COLUMN unlisted_at timestamptz');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
