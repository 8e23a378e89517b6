import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the forgone amount of copied lots as users other than the strategy's owner may know it; null for an own strategy. */
export class MaskedForgone1763700000052 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE copied_lots ADD COLUMN masked_forgone numeric');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
