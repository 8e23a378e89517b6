import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds an index of the fills of an account whose fee has no value yet. A symbol is BASE/QUOTE or BASE/QUOTE:SETTLE. */
export class UnvaluedFees1763700000044 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX fills_unvalued_fee_account_idx ON fills (exchange_account_id)
      WHERE fee_value IS NULL AND fee_amount <> 0
        AND fee_currency <> ALL (string_to_array(split_part(symbol, ':', 1), '/'))`);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
