import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds when the owner was notified of an exit that waits for the exchange's minimum, and when a pair's last price was
 * observed. Both are null in rows that an earlier release writes.
 */
export class PendingExits1763700000031 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE decisions ADD COLUMN delay_reported_at timestamptz');
    await runner.query('ALTER TABLE trade_pairs ADD COLUMN last_price_at timestamptz');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
