import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds browser sessions and the sign-in by code that opens them.
 *
 * Sessions have a table of their own: processes of the previous release take every row of `public_keys` for a key with
 * ADMIN that does not expire.
 */
export class BrowserSessions1763700000053 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // approver_issued_at: since when the holder of the approving credential can use it, by which withdrawals are held.
    await runner.query(`
      CREATE TABLE browser_sessions (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES users,
        pubkey text NOT NULL,
        client_name text NOT NULL,
        address text NOT NULL,
        permissions text[] NOT NULL,
        ip_allowlist text[] NOT NULL,
        approver_kind text NOT NULL CHECK (approver_kind IN ('api_key', 'public_key', 'session')),
        approver_id uuid NOT NULL,
        approver_issued_at timestamptz NOT NULL,
        approved_at timestamptz NOT NULL,
        last_used_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        revoked_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        CHECK (expires_at <= approved_at + interval '12 hours')
      )`);
    await runner.query(
      'CREATE UNIQUE INDEX browser_sessions_pubkey_key ON browser_sessions (pubkey) WHERE revoked_at IS NULL',
    );
    await runner.query(
      'CREATE INDEX browser_sessions_user_idx ON browser_sessions (user_id, created_at, id)',
    );
    await runner.query(
      'CREATE INDEX browser_sessions_approver_idx ON browser_sessions (approver_id) WHERE revoked_at IS NULL',
    );
    await runner.query('CREATE INDEX browser_sessions_expires_at_idx ON browser_sessions (expires_at)');
    await runner.query(`
      CREATE TABLE device_authorizations (
        id uuid PRIMARY KEY,
        device_code_hash bytea NOT NULL UNIQUE,
        user_code_hash bytea NOT NULL UNIQUE,
        client_name text NOT NULL,
        address text NOT NULL,
        permissions text[] NOT NULL,
        pubkey text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        expires_at timestamptz NOT NULL,
        last_polled_at timestamptz,
        decided_by uuid REFERENCES users,
        session_id uuid REFERENCES browser_sessions ON DELETE CASCADE,
        CHECK (session_id IS NULL OR decided_by IS NOT NULL)
      )`);
    await runner.query(
      'CREATE INDEX device_authorizations_expires_at_idx ON device_authorizations (expires_at)',
    );
    await runner.query(
      'CREATE INDEX device_authorizations_session_idx ON device_authorizations (session_id)',
    );
    await runner.query(
      'CREATE INDEX device_authorizations_decided_by_idx ON device_authorizations (decided_by)',
    );
    await runner.query(`
      CREATE TABLE unknown_user_codes (
        user_id uuid NOT NULL REFERENCES users,
        entered_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    await runner.query(
      'CREATE INDEX unknown_user_codes_user_idx ON unknown_user_codes (user_id, entered_at)',
    );
    await runner.query('CREATE INDEX unknown_user_codes_entered_at_idx ON unknown_user_codes (entered_at)');
    await endSessionsWithTheirApprover(runner);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}

/** Ends the sessions that a credential approved when it is revoked, or when an API key gets another value. */
async function endSessionsWithTheirApprover(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE FUNCTION end_browser_sessions_of_approver() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE browser_sessions SET revoked_at = clock_timestamp(), updated_at = clock_timestamp()
      WHERE approver_id = NEW.id AND revoked_at IS NULL;
      RETURN NULL;
    END $$`);
  const changes = {
    api_keys: '(OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) OR OLD.hash <> NEW.hash',
    public_keys: 'OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL',
    sessions: 'OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL',
  };
  for (const [table, condition] of Object.entries(changes)) {
    await runner.query(`
      CREATE TRIGGER end_browser_sessions AFTER UPDATE ON ${table}
      FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION end_browser_sessions_of_approver()`);
  }
}
