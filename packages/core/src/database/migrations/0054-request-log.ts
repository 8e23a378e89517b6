import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One partition for each day on which a row can be listed, for today, and two that are cleared before they are used again. */
const SLOTS = 10;

/**
 * Adds the log of requests. A day's rows are in one partition, so that a day is deleted at once. The partitions are used
 * in turn: their number is fixed, and no process has to create one.
 */
export class RequestLog1763700000054 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE request_log (
        slot smallint NOT NULL,
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        credential_kind text NOT NULL,
        credential_id uuid NOT NULL,
        method text NOT NULL,
        route text NOT NULL,
        status smallint NOT NULL,
        duration_ms integer NOT NULL,
        request_id text NOT NULL,
        address text NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (slot, id)
      ) PARTITION BY LIST (slot)`);
    for (let slot = 0; slot < SLOTS; slot++)
      await runner.query(`CREATE TABLE request_log_${slot} PARTITION OF request_log FOR VALUES IN (${slot})`);
    await runner.query('CREATE INDEX request_log_user_idx ON request_log (user_id, created_at, id)');
    await runner.query(
      'CREATE INDEX request_log_errors_idx ON request_log (user_id, created_at, id) WHERE status >= 400',
    );
    await runner.query(
      'CREATE INDEX request_log_credential_idx ON request_log (user_id, credential_id, created_at, id)',
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
