import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the world of the database, the memory of nonces, and the mailbox for which verification mails count. */
export class Worlds1763700000028 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // One row, written by the migrator: see platform/world.ts.
    await runner.query(`
      CREATE TABLE deployment (
        is_only_row boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
        world text NOT NULL CHECK (world IN ('test', 'live')),
        created_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    // One row, written by the first API that starts: see access/nonce-epoch.ts. The server is the replication id of the
    // Redis that holds the epoch. The columns next_* describe a changed memory, until requests are accepted again.
    await runner.query(`
      CREATE TABLE nonce_memory (
        is_only_row boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
        id text NOT NULL,
        epoch text,
        server text,
        claims bigint NOT NULL DEFAULT 0,
        next_epoch text,
        next_server text,
        next_seen_at timestamptz,
        restarted_server text,
        restarted_seen_at timestamptz
      )`);
    // Mails count for the mailbox that they reach: see access/mailbox.rules.ts. Rows of the previous release have none.
    await runner.query('ALTER TABLE email_verifications ADD COLUMN mailbox text');
    await runner.query(
      'CREATE INDEX email_verifications_mailbox_idx ON email_verifications (mailbox, created_at)',
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
