import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the currency of a strategy's figures, so that its last recorded equity can be read with them. All figures become due,
 * because those of earlier releases have no currency.
 */
export class FiguresCurrency1763700000049 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE strategy_figures ADD COLUMN currency text');
    await runner.query("UPDATE strategy_figures SET computed_at = '-infinity'");
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
