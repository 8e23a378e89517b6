import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the indexes for analytics and the emergency stop. */
export class Analytics1763700000008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX fills_account_executed_idx ON fills (exchange_account_id, executed_at, id)',
    );
    await runner.query(`
      CREATE INDEX trades_user_open_idx ON trades (user_id, id)
      WHERE status IN ('PENDING', 'PARTIALLY_FILLED')`);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
