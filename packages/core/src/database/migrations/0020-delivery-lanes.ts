import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the in-flight limits and leases that keep one receiver from delaying another. */
export class DeliveryLanes1763700000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A parked delivery is due, and waits without a job until its webhook and its user have a free slot. `is_parked` has
    // no meaning on rows that are not DUE.
    // `holder_id` is the dispatcher that leases the delivery; `claims` counts the claims of its next attempt.
    await runner.query(`
      ALTER TABLE webhook_deliveries
        ADD COLUMN is_parked boolean NOT NULL DEFAULT false,
        ADD COLUMN holder_id uuid,
        ADD COLUMN claims integer NOT NULL DEFAULT 0`);
    await runner.query(`
      CREATE INDEX webhook_deliveries_parked_idx ON webhook_deliveries (webhook_id, next_at, id)
        WHERE status = 'DUE' AND is_parked`);
    await runner.query(
      "CREATE INDEX webhook_deliveries_sending_idx ON webhook_deliveries (webhook_id) WHERE status = 'SENDING'",
    );
    // Few rows are SENDING, so one index serves all queries for them.
    await runner.query('DROP INDEX webhook_deliveries_leased_idx');
    await runner.query('DROP INDEX webhook_deliveries_due_idx');
    await runner.query(
      "CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries (next_at, id) WHERE status = 'DUE' AND NOT is_parked",
    );
    // The table contains only heartbeats. A crash of the server may lose them, but live dispatchers send new ones.
    await runner.query(`
      CREATE UNLOGGED TABLE webhook_dispatchers (
        id uuid PRIMARY KEY,
        since timestamptz NOT NULL,
        seen_at timestamptz NOT NULL
      )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
