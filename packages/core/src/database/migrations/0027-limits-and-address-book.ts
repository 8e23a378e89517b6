import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the user of a stream lease, the time of a key's last rotation, the time at which a verified e-mail address was
 * replaced, and the address book of withdrawals.
 *
 * The two times are set by triggers, so that processes of the previous release set them, too.
 */
export class LimitsAndAddressBook1763700000027 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Null in leases of the previous release, which count only for their credential.
    await runner.query('ALTER TABLE event_streams ADD COLUMN user_id uuid');
    await runner.query('CREATE INDEX event_streams_user_idx ON event_streams (user_id)');

    await runner.query('ALTER TABLE api_keys ADD COLUMN rotated_at timestamptz');
    await runner.query(`
      CREATE FUNCTION api_keys_set_rotated_at() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.rotated_at := clock_timestamp();
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER api_keys_rotated BEFORE UPDATE OF hash ON api_keys
      FOR EACH ROW WHEN (OLD.hash IS DISTINCT FROM NEW.hash) EXECUTE FUNCTION api_keys_set_rotated_at()`);

    await runner.query('ALTER TABLE users ADD COLUMN email_replaced_at timestamptz');
    await runner.query(`
      CREATE FUNCTION users_set_email_replaced_at() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.email_replaced_at := clock_timestamp();
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER users_email_replaced BEFORE UPDATE OF email ON users
      FOR EACH ROW WHEN (OLD.email IS NOT NULL AND OLD.email IS DISTINCT FROM NEW.email)
      EXECUTE FUNCTION users_set_email_replaced_at()`);

    // usable_at is set with confirmed_at; the address is PENDING before, and HELD until usable_at.
    await runner.query(`
      CREATE TABLE withdrawal_addresses (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES users,
        address text NOT NULL,
        label text,
        code_hash bytea UNIQUE,
        code_expires_at timestamptz,
        confirmed_at timestamptz,
        usable_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        CHECK ((confirmed_at IS NULL) = (usable_at IS NULL))
      )`);
    await runner.query(
      'CREATE UNIQUE INDEX withdrawal_addresses_address_key ON withdrawal_addresses (user_id, lower(address))',
    );
    await runner.query(
      'CREATE INDEX withdrawal_addresses_created_idx ON withdrawal_addresses (user_id, created_at, id)',
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
