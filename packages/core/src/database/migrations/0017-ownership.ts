import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables of worker leases and account ownership. */
export class Ownership1763700000017 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE worker_leases (
        worker text PRIMARY KEY,
        exchanges text[] NOT NULL,
        expires_at timestamptz NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE account_owners (
        account_id uuid PRIMARY KEY REFERENCES exchange_accounts,
        worker text,
        fence bigint NOT NULL
      )`);
    // The state of each account stream. The account's owner updates it regularly, and monitoring reads it.
    await runner.query(`
      CREATE TABLE account_watches (
        account_id uuid PRIMARY KEY REFERENCES exchange_accounts,
        worker text NOT NULL,
        state text NOT NULL,
        since timestamptz NOT NULL,
        told_at timestamptz NOT NULL
      )`);
    await runner.query('CREATE INDEX account_owners_worker_idx ON account_owners (worker)');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
