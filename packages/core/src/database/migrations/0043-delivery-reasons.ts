import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the reason of a failed attempt and of a dead letter beside its class. `error` and `last_error` keep the class, which
 * is all that the previous release knows. The reason is null in rows that the previous release writes.
 */
export class DeliveryReasons1763700000043 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_attempts ADD COLUMN error_reason text');
    await runner.query('ALTER TABLE webhook_dead_letters ADD COLUMN last_error_reason text');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
