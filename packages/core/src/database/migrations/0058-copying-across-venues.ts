import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the settings with which a copier finds the pair on its exchange, and its settings for single pairs. `symbol` is the
 * pair of a copied lot; it is null in lots of the previous release, whose pair has the strategy's symbol.
 */
export class CopyingAcrossVenues1763700000058 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE copiers
        ADD COLUMN quote_aliases jsonb NOT NULL DEFAULT '[]',
        ADD COLUMN symbol_map jsonb NOT NULL DEFAULT '{}',
        ADD COLUMN overrides jsonb NOT NULL DEFAULT '{}'`);
    await runner.query('ALTER TABLE copied_lots ADD COLUMN symbol text');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
