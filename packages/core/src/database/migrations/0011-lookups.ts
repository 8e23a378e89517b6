import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Look-ups that also see what was removed, or that reach over all accounts. */
export class Lookups1763700000011 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Whether a user copied a strategy once, and all accounts that a user ever had.
    await runner.query('CREATE INDEX copiers_user_strategy_idx ON copiers (user_id, strategy_id)');
    await runner.query('CREATE INDEX exchange_accounts_user_idx ON exchange_accounts (user_id)');
    // How many mails went to an address, whoever asked for them.
    await runner.query(
      'CREATE INDEX email_verifications_email_idx ON email_verifications (lower(email), created_at)',
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
