import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the connections of one account at an exchange, which each comparison of an account of perpetuals reads. */
export class ConnectionsOfAnAccount1763700000064 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX exchange_accounts_venue_account_idx ON exchange_accounts (exchange, venue_account_id)
      WHERE venue_account_id IS NOT NULL`);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
