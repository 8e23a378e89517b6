import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables of webhooks, deliveries, attempts and dead letters. */
export class Webhooks1763700000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhooks (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES users,
        url text NOT NULL,
        events text[] NOT NULL CHECK (cardinality(events) > 0),
        description text NOT NULL,
        secret_sealed text,
        secret_last_rotated_at timestamptz NOT NULL DEFAULT now(),
        is_active boolean NOT NULL DEFAULT true,
        consecutive_failures integer NOT NULL DEFAULT 0,
        consecutive_dead_letters integer NOT NULL DEFAULT 0,
        deactivated_at timestamptz,
        deactivation_reason text,
        deleted_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CHECK ((secret_sealed IS NULL) = (deleted_at IS NOT NULL))
      )`);
    for (const sort of ['created_at', 'updated_at']) {
      await runner.query(`
        CREATE INDEX webhooks_user_${sort}_idx ON webhooks (user_id, ${sort}, id) WHERE deleted_at IS NULL`);
    }
    // A delivery sends the payload of its outbox row, which therefore cannot be deleted before the delivery. Only an
    // event that was never in the outbox (webhook.test) has its payload here.
    await runner.query(`
      CREATE TABLE webhook_deliveries (
        id uuid PRIMARY KEY,
        webhook_id uuid NOT NULL REFERENCES webhooks,
        event_id uuid NOT NULL,
        event_type text NOT NULL,
        payload bytea,
        outbox_event_id uuid GENERATED ALWAYS AS (CASE WHEN payload IS NULL THEN event_id END) STORED
          REFERENCES outbox_events,
        run integer NOT NULL DEFAULT 0 CHECK (run >= 0),
        status text NOT NULL CHECK (status IN ('DUE', 'SENDING', 'SUCCEEDED', 'FAILED', 'DEAD', 'DISCARDED')),
        attempts integer NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 5),
        next_at timestamptz,
        lease_id uuid,
        lease_until timestamptz,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        UNIQUE (webhook_id, event_id, run),
        CHECK ((status = 'DUE') = (next_at IS NOT NULL)),
        CHECK ((status = 'SENDING') = (lease_id IS NOT NULL AND lease_until IS NOT NULL))
      )`);
    await runner.query(
      "CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries (next_at, id) WHERE status = 'DUE'",
    );
    await runner.query(
      "CREATE INDEX webhook_deliveries_leased_idx ON webhook_deliveries (lease_until, id) WHERE status = 'SENDING'",
    );
    await runner.query(
      "CREATE INDEX webhook_deliveries_owed_idx ON webhook_deliveries (webhook_id) WHERE status = 'DUE'",
    );
    await runner.query(`
      CREATE TABLE webhook_attempts (
        id uuid PRIMARY KEY,
        delivery_id uuid NOT NULL REFERENCES webhook_deliveries,
        webhook_id uuid NOT NULL,
        attempt integer NOT NULL CHECK (attempt BETWEEN 1 AND 5),
        status text NOT NULL CHECK (status IN ('SUCCEEDED', 'FAILED')),
        status_code integer,
        error text,
        response_time_ms integer NOT NULL CHECK (response_time_ms >= 0),
        response_body text,
        attempted_at timestamptz NOT NULL,
        next_attempt_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        UNIQUE (delivery_id, attempt),
        CHECK ((status = 'FAILED') = (error IS NOT NULL))
      )`);
    for (const sort of ['created_at', 'attempted_at']) {
      await runner.query(
        `CREATE INDEX webhook_attempts_webhook_${sort}_idx ON webhook_attempts (webhook_id, ${sort}, id)`,
      );
    }
    // A delivery becomes a dead letter only once, because the dead letter has the delivery's id.
    await runner.query(`
      CREATE TABLE webhook_dead_letters (
        id uuid PRIMARY KEY REFERENCES webhook_deliveries,
        webhook_id uuid NOT NULL,
        status text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'RETRIED', 'DISCARDED')),
        attempts integer NOT NULL,
        last_status_code integer,
        last_error text,
        resolved_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        CHECK ((status = 'PENDING') = (resolved_at IS NULL))
      )`);
    await runner.query(
      'CREATE INDEX webhook_dead_letters_webhook_created_idx ON webhook_dead_letters (webhook_id, created_at, id)',
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
