import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds wallets that several accounts of one user share, such as those of a unified account at an exchange. */
export class SharedWallets1763700000061 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The id of the first of the accounts that share a wallet, and of that account, too. Null: a wallet of its own.
    // is_unified: whether all trading types at the exchange use one wallet; null if it was not read yet.
    await runner.query(`
      ALTER TABLE exchange_accounts
        ADD COLUMN wallet_id uuid REFERENCES exchange_accounts,
        ADD COLUMN is_unified boolean`);
    await runner.query(`
      CREATE INDEX exchange_accounts_wallet_id ON exchange_accounts (wallet_id) WHERE wallet_id IS NOT NULL`);
    await runner.query(WALLET_ACCOUNTS);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}

/**
 * Each of the accounts with the accounts that share its wallet, itself included. `is_repeated`: an account before it sees
 * the same orders at the exchange, and therefore has adopted the same orders that were placed there.
 */
const WALLET_ACCOUNTS = `
  CREATE FUNCTION wallet_accounts(account_ids uuid[])
  RETURNS TABLE (account_id uuid, member_id uuid, is_repeated boolean)
  LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT a.id, a.id, false FROM exchange_accounts a WHERE a.id = ANY (account_ids)
    UNION ALL
    SELECT a.id, other.id, (a.trading_type = 'perpetual') = (other.trading_type = 'perpetual') OR row_number() OVER (
      PARTITION BY a.id, other.trading_type = 'perpetual' ORDER BY other.id) > 1
    FROM exchange_accounts a JOIN exchange_accounts other ON other.wallet_id = a.wallet_id
    WHERE a.id = ANY (account_ids) AND a.wallet_id IS NOT NULL AND other.id <> a.id
  $$`;
