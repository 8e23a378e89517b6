import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Makes lists of attempts by event type, and of failed attempts, ranges of an index. */
export class AttemptFilters1763700000021 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_attempts ADD COLUMN event_type text');
    await runner.query(`
      UPDATE webhook_attempts a SET event_type = d.event_type
      FROM webhook_deliveries d WHERE d.id = a.delivery_id`);
    // An older release inserts attempts without the event type while a newer release is rolled out.
    await runner.query(`
      CREATE FUNCTION webhook_attempts_take_event_type() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.event_type := (SELECT d.event_type FROM webhook_deliveries d WHERE d.id = NEW.delivery_id);
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER webhook_attempts_take_event_type BEFORE INSERT ON webhook_attempts
      FOR EACH ROW WHEN (NEW.event_type IS NULL) EXECUTE FUNCTION webhook_attempts_take_event_type()`);
    await runner.query('ALTER TABLE webhook_attempts ALTER COLUMN event_type SET NOT NULL');
    await runner.query(`
      CREATE INDEX webhook_attempts_event_type_idx
      ON webhook_attempts (webhook_id, event_type, created_at, id)`);
    // Failed attempts are rare, and successful attempts do not update these indexes.
    for (const sort of ['created_at', 'attempted_at']) {
      await runner.query(`
        CREATE INDEX webhook_attempts_failures_${sort}_idx ON webhook_attempts (webhook_id, ${sort}, id)
        WHERE status = 'FAILED'`);
    }
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
