import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds loans of orders and the margin ratio that copiers keep, and adopts orders of the exchange itself once. */
export class MarginOrders1763700000060 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Margin only: whether the exchange lends what the order lacks, and whether what the order receives repays a loan.
    await runner.query(`
      ALTER TABLE trades
        ADD COLUMN auto_borrow boolean NOT NULL DEFAULT false,
        ADD COLUMN auto_repay boolean NOT NULL DEFAULT false`);
    await runner.query(
      'ALTER TABLE copiers ADD COLUMN min_margin_ratio numeric(38,18) CHECK (min_margin_ratio > 0)',
    );
    // An order that was found at the exchange becomes a trade once, also if its cause is reported later.
    await runner.query(`
      CREATE UNIQUE INDEX trades_adopted_order_key ON trades (exchange_account_id, symbol, exchange_order_id)
      WHERE origin IN ('EXTERNAL', 'LIQUIDATION', 'ADL', 'SETTLEMENT')`);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
