import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the indexes for lists of events, and the table of open streams. */
export class Events1763700000009 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX outbox_events_user_created_idx ON outbox_events (user_id, created_at, id)',
    );
    await runner.query(
      'CREATE INDEX outbox_events_user_type_created_idx ON outbox_events (user_id, type, created_at, id)',
    );
    // The table contains only leases. A crash of the server may lose them, which ends the streams that held them.
    await runner.query(`
      CREATE UNLOGGED TABLE event_streams (
        id uuid PRIMARY KEY,
        credential_id uuid NOT NULL,
        lease_until timestamptz NOT NULL
      )`);
    await runner.query('CREATE INDEX event_streams_credential_idx ON event_streams (credential_id)');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
