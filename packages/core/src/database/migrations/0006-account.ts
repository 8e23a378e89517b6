import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables of addresses, mails, settings and notifications. */
export class Account1763700000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await addMail(runner);
    await addSettings(runner);
    await addNotifications(runner);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}

async function addMail(runner: QueryRunner): Promise<void> {
  await runner.query('ALTER TABLE users ADD COLUMN pending_email text');
  await runner.query(`
    CREATE TABLE email_verifications (
      code_hash bytea PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users,
      email text NOT NULL,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL
    )`);
  await runner.query(
    'CREATE INDEX email_verifications_user_created_idx ON email_verifications (user_id, created_at)',
  );
  await runner.query('CREATE INDEX email_verifications_expires_at_idx ON email_verifications (expires_at)');
  // next_at: the time from which the mail may be claimed, which is also the end of a claim; NULL once it is sent or failed.
  await runner.query(`
    CREATE TABLE mails (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users,
      recipient text NOT NULL,
      subject text NOT NULL,
      body text,
      claims integer NOT NULL DEFAULT 0,
      attempts integer NOT NULL DEFAULT 0,
      next_at timestamptz DEFAULT clock_timestamp(),
      sent_at timestamptz,
      failed_at timestamptz,
      last_error text,
      created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      CHECK ((next_at IS NULL) = (sent_at IS NOT NULL OR failed_at IS NOT NULL)),
      CHECK ((next_at IS NULL) = (body IS NULL))
    )`);
  await runner.query('CREATE INDEX mails_next_at_idx ON mails (next_at) WHERE next_at IS NOT NULL');
}

async function addSettings(runner: QueryRunner): Promise<void> {
  // json, not jsonb: json keeps the text, with every digit and the order of the members.
  await runner.query(`
    CREATE TABLE settings (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users,
      key text COLLATE "C" NOT NULL,
      value json NOT NULL,
      created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
    )`);
  await runner.query('CREATE UNIQUE INDEX settings_user_key_key ON settings (user_id, key)');
  await runner.query('CREATE INDEX settings_user_key_idx ON settings (user_id, key, id)');
  await runner.query('CREATE INDEX settings_user_created_idx ON settings (user_id, created_at, id)');
  await runner.query('CREATE INDEX settings_user_updated_idx ON settings (user_id, updated_at, id)');
}

async function addNotifications(runner: QueryRunner): Promise<void> {
  // The row of a deleted notification is retained, so that its event cannot create another notification.
  await runner.query(`
    CREATE TABLE notifications (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users,
      event_id uuid NOT NULL,
      kind text NOT NULL,
      severity text NOT NULL,
      title text NOT NULL,
      body text NOT NULL,
      resource text NOT NULL,
      resource_id text NOT NULL,
      read_at timestamptz,
      deleted_at timestamptz,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
    )`);
  await runner.query('CREATE UNIQUE INDEX notifications_event_key ON notifications (event_id)');
  const lists = [
    ['created', '(user_id, created_at, id) WHERE deleted_at IS NULL'],
    ['kind_created', '(user_id, kind, created_at, id) WHERE deleted_at IS NULL'],
    ['unread_created', '(user_id, created_at, id) WHERE deleted_at IS NULL AND read_at IS NULL'],
    ['read_created', '(user_id, created_at, id) WHERE deleted_at IS NULL AND read_at IS NOT NULL'],
  ];
  for (const [name, columns] of lists) {
    await runner.query(`CREATE INDEX notifications_user_${name}_idx ON notifications ${columns}`);
  }
}
