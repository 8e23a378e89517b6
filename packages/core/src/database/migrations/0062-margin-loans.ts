import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores the loans of margin accounts. */
export class MarginLoans1763700000062 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // What the account owes, by asset: `borrowed` and `interest` as decimal strings. Null until it was read once.
    await runner.query('ALTER TABLE exchange_accounts ADD COLUMN loans jsonb');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
