import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds an index of the fills of an account whose fee has no value yet, and the amount to which an order was capped. */
export class UnvaluedFeesAndCappedOrders1763700000044 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A symbol is BASE/QUOTE or BASE/QUOTE:SETTLE.
    await runner.query(`CREATE INDEX fills_unvalued_fee_account_idx ON fills (exchange_account_id)
      WHERE fee_value IS NULL AND fee_amount <> 0
        AND fee_currency <> ALL (string_to_array(split_part(symbol, ':', 1), '/'))`);
    // What was sent of an order that closes a lot, if less than `amount` was left of the lot. Null for other orders.
    await runner.query('ALTER TABLE trades ADD COLUMN capped_amount numeric(38,18)');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
