import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What keeps one receiver from holding up another: caps on what is in flight, and who is sending what. */
export class DeliveryLanes1763700000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A parked delivery is due, and waits without a job until its webhook and its user have room for it; on rows that
    // are not DUE the mark means nothing.
    // `holder_id` is the dispatcher that leases it; `claims` counts how often its next attempt was begun.
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
    // What is SENDING is little: one index of it serves all who look for it.
    await runner.query('DROP INDEX webhook_deliveries_leased_idx');
    await runner.query('DROP INDEX webhook_deliveries_due_idx');
    await runner.query(
      "CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries (next_at, id) WHERE status = 'DUE' AND NOT is_parked",
    );
    // Signs of life alone: a crash of the server may forget them, and whoever lives shows itself again.
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
