import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the ratio of a copied lot as users other than the strategy's owner may see it. Null in lots of the previous
 * release, whose exact ratio is rounded.
 */
export class MaskedRatios1763700000045 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE copied_lots ADD COLUMN masked_ratio numeric');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
