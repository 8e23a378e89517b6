import { PERSISTENCE_SCHEMA_SQL } from '@trading-automation/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables of the persistence package, of users and of their credentials. */
export class Access1763700000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of PERSISTENCE_SCHEMA_SQL) await runner.query(statement);
    await runner.query(`
      CREATE TABLE users (
        id uuid PRIMARY KEY,
        email text,
        email_verified_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TABLE api_keys (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES users,
        name text NOT NULL,
        prefix text NOT NULL,
        last_four text NOT NULL,
        hash bytea NOT NULL,
        permissions text[] NOT NULL CHECK (cardinality(permissions) > 0),
        ip_allowlist text[] NOT NULL,
        expires_at timestamptz,
        last_used_at timestamptz,
        revoked_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE UNIQUE INDEX api_keys_hash_key ON api_keys (hash)');
    await runner.query('CREATE INDEX api_keys_user_created_idx ON api_keys (user_id, created_at, id)');
    await runner.query(`
      CREATE TABLE public_keys (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES users,
        pubkey text NOT NULL,
        label text,
        last_used_at timestamptz,
        revoked_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(
      'CREATE UNIQUE INDEX public_keys_active_pubkey_key ON public_keys (pubkey) WHERE revoked_at IS NULL',
    );
    await runner.query('CREATE INDEX public_keys_user_created_idx ON public_keys (user_id, created_at, id)');
    await runner.query(`
      CREATE TABLE cli_challenges (
        challenge text PRIMARY KEY,
        pubkey text,
        expires_at timestamptz NOT NULL
      )`);
    await runner.query('CREATE INDEX cli_challenges_expires_at_idx ON cli_challenges (expires_at)');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
