import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the currency of a strategy's figures, so that its last recorded equity can be read with them. */
export class FiguresCurrency1763700000049 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE strategy_figures ADD COLUMN currency text');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
