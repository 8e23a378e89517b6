import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the links that open an account and reset a password, and the time at which the address of a login was verified.
 *
 * A login of an earlier release is verified if its address is the verified one of its account. Processes of the previous
 * release insert logins without `verified_at`; see `VERIFIED_LOGIN` in sign-in-links.queries.ts.
 */
export class SignInLinks1763700000037 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE password_logins ADD COLUMN verified_at timestamptz');
    await runner.query(`
      UPDATE password_logins l SET verified_at = u.email_verified_at FROM users u
      WHERE u.id = l.user_id AND u.email = l.email AND u.email_verified_at IS NOT NULL`);
    // Null in mails to an address that has no account yet.
    await runner.query('ALTER TABLE mails ALTER COLUMN user_id DROP NOT NULL');
    // Requests that send no link have a row, too, because they count toward the same limit.
    await runner.query(`
      CREATE TABLE sign_in_links (
        code_hash bytea PRIMARY KEY,
        purpose text NOT NULL CHECK (purpose IN ('REGISTRATION', 'PASSWORD_RESET', 'NONE')),
        email text NOT NULL,
        mailbox text NOT NULL,
        password_hash text,
        user_id uuid REFERENCES users,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        used_at timestamptz,
        CHECK (password_hash IS NULL OR purpose = 'REGISTRATION'),
        CHECK ((user_id IS NOT NULL) = (purpose = 'PASSWORD_RESET'))
      )`);
    await runner.query('CREATE INDEX sign_in_links_mailbox_idx ON sign_in_links (mailbox, created_at)');
    await runner.query('CREATE INDEX sign_in_links_email_idx ON sign_in_links (email)');
    await runner.query('CREATE INDEX sign_in_links_user_idx ON sign_in_links (user_id)');
    await runner.query('CREATE INDEX sign_in_links_expires_at_idx ON sign_in_links (expires_at)');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
