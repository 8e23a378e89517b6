import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds why a pair is inactive, and the pair that replaced it. A replaced pair gives up its symbol, because the release
 * before stores pairs by the unique key of exchange, trading type and symbol; `listed_symbol` keeps it.
 */
export class ReplacedPairs1763700000056 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE trade_pairs
        ADD COLUMN inactive_reason text,
        ADD COLUMN listed_symbol text,
        ADD COLUMN replaced_by uuid REFERENCES trade_pairs`);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
