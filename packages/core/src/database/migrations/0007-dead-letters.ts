import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the event type to dead letters, so that lists by status and type are ranges of an index. */
export class DeadLetters1763700000007 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_dead_letters ADD COLUMN event_type text');
    await runner.query(`
      UPDATE webhook_dead_letters l SET event_type = d.event_type FROM webhook_deliveries d WHERE d.id = l.id`);
    await runner.query('ALTER TABLE webhook_dead_letters ALTER COLUMN event_type SET NOT NULL');
    await runner.query(`
      CREATE INDEX webhook_dead_letters_webhook_updated_idx
      ON webhook_dead_letters (webhook_id, updated_at, id)`);
    for (const filter of ['status', 'event_type']) {
      for (const sort of ['created_at', 'updated_at']) {
        await runner.query(`
          CREATE INDEX webhook_dead_letters_${filter}_${sort}_idx
          ON webhook_dead_letters (webhook_id, ${filter}, ${sort}, id)`);
      }
    }
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
