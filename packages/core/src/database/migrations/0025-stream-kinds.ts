import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the kind of a lease: an event stream or a socket of the GraphQL API. */
export class StreamKinds1763700000025 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE event_streams ADD COLUMN kind text NOT NULL DEFAULT 'events'
        CHECK (kind IN ('events', 'sockets'))
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
