import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Mail that tells of events: one of each event at most, and few enough that nobody drowns in it. */
export class MailOfEvents1763700000022 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE mails ADD COLUMN event_id uuid');
    await runner.query('CREATE UNIQUE INDEX mails_event_key ON mails (event_id)');
    // What was used of what a topic may have in 24 hours since `since`; `granted` is what the last asking got.
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
