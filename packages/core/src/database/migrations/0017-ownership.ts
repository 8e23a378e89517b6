import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which trading worker works on which exchange account. */
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
    // How each account is heard of; written by its owner now and then, read by whoever watches over the workers.
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
