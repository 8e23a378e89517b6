import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables of the deprecated sign-in methods, which are retained until v2.0. */
export class SignIn1763700000024 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await addSessions(runner);
    await addPasswords(runner);
    await addSecondFactors(runner);
    await addProviders(runner);
    await addPasskeys(runner);
    await runner.query(`
      CREATE TABLE deprecated_uses (
        day date,
        operation text,
        uses bigint NOT NULL,
        PRIMARY KEY (day, operation)
      )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}

async function addSessions(runner: QueryRunner): Promise<void> {
  // A key signs until signs_until. Its public half is published until shown_until, when all its tokens have expired.
  await runner.query(`
    CREATE TABLE token_keys (
      kid text PRIMARY KEY,
      public_jwk jsonb NOT NULL,
      private_sealed bytea NOT NULL,
      created_at timestamptz NOT NULL,
      signs_until timestamptz NOT NULL,
      shown_until timestamptz NOT NULL
    )`);
  // expires_at moves with each refresh, up to ends_at.
  await runner.query(`
    CREATE TABLE sessions (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users,
      how text NOT NULL,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      ends_at timestamptz NOT NULL,
      revoked_at timestamptz,
      CHECK (expires_at <= ends_at)
    )`);
  await runner.query('CREATE INDEX sessions_user_idx ON sessions (user_id)');
  await runner.query('CREATE INDEX sessions_expires_at_idx ON sessions (expires_at)');
  await runner.query(`
    CREATE TABLE refresh_tokens (
      hash bytea PRIMARY KEY,
      session_id uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
      created_at timestamptz NOT NULL,
      used_at timestamptz
    )`);
  await runner.query('CREATE INDEX refresh_tokens_session_idx ON refresh_tokens (session_id)');
}

async function addPasswords(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE password_logins (
      user_id uuid PRIMARY KEY REFERENCES users,
      email text NOT NULL,
      hash text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
    )`);
  await runner.query('CREATE UNIQUE INDEX password_logins_email_key ON password_logins (email)');
  // subject: the hash of the subject of the attempts, an e-mail address or a user's second factor.
  await runner.query(`
    CREATE TABLE sign_in_attempts (
      subject bytea PRIMARY KEY,
      attempts integer NOT NULL,
      expires_at timestamptz NOT NULL
    )`);
  await runner.query('CREATE INDEX sign_in_attempts_expires_at_idx ON sign_in_attempts (expires_at)');
}

async function addSecondFactors(runner: QueryRunner): Promise<void> {
  // last_step: the latest time step whose code was accepted. enabled_at: NULL until the first code was accepted.
  await runner.query(`
    CREATE TABLE totp_factors (
      user_id uuid PRIMARY KEY REFERENCES users,
      secret_sealed bytea NOT NULL,
      last_step bigint NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      enabled_at timestamptz
    )`);
  await runner.query(`
    CREATE TABLE recovery_codes (
      user_id uuid REFERENCES totp_factors ON DELETE CASCADE,
      hash bytea,
      PRIMARY KEY (user_id, hash)
    )`);
  await runner.query(`
    CREATE TABLE sign_in_tickets (
      hash bytea PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users,
      how text NOT NULL,
      tries integer NOT NULL DEFAULT 0,
      expires_at timestamptz NOT NULL
    )`);
  await runner.query('CREATE INDEX sign_in_tickets_user_idx ON sign_in_tickets (user_id)');
  await runner.query('CREATE INDEX sign_in_tickets_expires_at_idx ON sign_in_tickets (expires_at)');
}

async function addProviders(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE provider_identities (
      provider text,
      subject text,
      user_id uuid NOT NULL REFERENCES users,
      created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (provider, subject)
    )`);
  await runner.query('CREATE INDEX provider_identities_user_idx ON provider_identities (user_id)');
  // Signed login data is accepted once. Its hash is stored as long as the data would be accepted.
  await runner.query(`
    CREATE TABLE used_login_data (
      hash bytea PRIMARY KEY,
      expires_at timestamptz NOT NULL
    )`);
  await runner.query('CREATE INDEX used_login_data_expires_at_idx ON used_login_data (expires_at)');
}

async function addPasskeys(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE passkeys (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users,
      credential_id bytea NOT NULL,
      public_key bytea NOT NULL,
      counter bigint NOT NULL,
      transports text[] NOT NULL,
      created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      last_used_at timestamptz
    )`);
  await runner.query('CREATE UNIQUE INDEX passkeys_credential_id_key ON passkeys (credential_id)');
  await runner.query('CREATE INDEX passkeys_user_idx ON passkeys (user_id)');
  await runner.query(`
    CREATE TABLE passkey_challenges (
      id uuid PRIMARY KEY,
      user_id uuid REFERENCES users,
      challenge text NOT NULL,
      purpose text NOT NULL,
      expires_at timestamptz NOT NULL
    )`);
  await runner.query(
    'CREATE UNIQUE INDEX passkey_challenges_challenge_key ON passkey_challenges (challenge)',
  );
  await runner.query('CREATE INDEX passkey_challenges_expires_at_idx ON passkey_challenges (expires_at)');
}
