import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the indexes for queries that include deleted rows, or that read the rows of all accounts. */
export class Lookups1763700000011 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // For the checks whether a user ever copied a strategy, and for all accounts that a user ever had.
    await runner.query('CREATE INDEX copiers_user_strategy_idx ON copiers (user_id, strategy_id)');
    await runner.query('CREATE INDEX exchange_accounts_user_idx ON exchange_accounts (user_id)');
    // For the number of mails to an address, from all users.
    await runner.query(
      'CREATE INDEX email_verifications_email_idx ON email_verifications (lower(email), created_at)',
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
