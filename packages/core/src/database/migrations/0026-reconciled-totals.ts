import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the balances at the last reconciliation; null if it was made by an earlier release. */
export class ReconciledTotals1763700000026 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE reconciliations ADD COLUMN totals jsonb');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
