import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Limits the mails about events: at most one per event, and a daily allowance per topic. */
export class MailOfEvents1763700000022 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE mails ADD COLUMN event_id uuid');
    await runner.query('CREATE UNIQUE INDEX mails_event_key ON mails (event_id)');
    // The number of mails that a topic used in the 24 hours from `since`. `granted` is the result of the last request.
    await runner.query(`
      CREATE TABLE mail_allowances (
        user_id uuid NOT NULL REFERENCES users,
        topic text COLLATE "C" NOT NULL,
        since timestamptz NOT NULL,
        used integer NOT NULL,
        granted integer NOT NULL,
        PRIMARY KEY (user_id, topic),
        CHECK (granted BETWEEN 0 AND used)
      )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
