import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the stage of each trading type of an exchange, and what an exchange reports about the credentials of an account. */
export class KeyRights1763700000055 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE supported_exchanges
        ADD COLUMN stages jsonb NOT NULL DEFAULT '{}',
        ADD COLUMN credential_form jsonb NOT NULL DEFAULT '{"secret": "HMAC_SECRET", "hasPassphrase": false}'`);
    await runner.query(`
      ALTER TABLE exchange_accounts
        ALTER COLUMN can_withdraw DROP NOT NULL,
        ADD COLUMN can_trade boolean,
        ADD COLUMN inactive_reason text,
        ADD COLUMN rights_due_at timestamptz`);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
