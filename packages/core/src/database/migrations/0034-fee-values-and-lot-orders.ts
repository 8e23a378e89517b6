import type { MigrationInterface, QueryRunner } from 'typeorm';

const dayOf = (instant: string) => `(${instant} AT TIME ZONE 'UTC')::date`;

const FEE_VALUES = [
  // The value in quote currency of a fee that was paid neither in base nor in quote currency. It is null until a price
  // is known, also for the fills of earlier releases. `fee_value_due_at` is when a job tries again to value it.
  'ALTER TABLE fills ADD COLUMN fee_value numeric(38,18), ADD COLUMN fee_value_due_at timestamptz',
  // The fees that have no value yet. A symbol is BASE/QUOTE or BASE/QUOTE:SETTLE.
  `CREATE INDEX fills_unvalued_fee_idx ON fills (fee_value_due_at NULLS FIRST, executed_at)
   WHERE fee_value IS NULL AND fee_amount <> 0
     AND fee_currency <> ALL (string_to_array(split_part(symbol, ':', 1), '/'))`,
  // Setting the value of a fee changes the results of the day of its fill.
  `CREATE FUNCTION fills_mark_results_of_fee_value() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO result_marks (user_id, day)
     SELECT DISTINCT t.user_id, ${dayOf('n.executed_at')}
     FROM new_rows n JOIN old_rows o ON o.id = n.id JOIN trades t ON t.id = n.trade_id
     WHERE n.fee_value IS DISTINCT FROM o.fee_value;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER fills_mark_results_of_fee_value AFTER UPDATE ON fills
   REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
   FOR EACH STATEMENT EXECUTE FUNCTION fills_mark_results_of_fee_value()`,
  // The number of fills whose fee has no value yet. Null in rows of earlier releases, which are then recomputed.
  'ALTER TABLE result_days ADD COLUMN unvalued_fee_count integer',
  `CREATE INDEX result_days_uncounted_fees_idx ON result_days (user_id, day)
   WHERE fees_in_others IS NOT NULL AND unvalued_fee_count IS NULL`,
];

const LOT_ORDERS = [
  // The lot that an order of its user closes; null for every other order.
  'ALTER TABLE trades ADD COLUMN closes_lot_id uuid',
  `CREATE INDEX trades_closing_idx ON trades (closes_lot_id)
   WHERE closes_lot_id IS NOT NULL AND status IN ('PENDING', 'PARTIALLY_FILLED')`,
  'CREATE INDEX lots_user_opened_idx ON lots (user_id, opened_at, id)',
];

/** Adds the value of fees in a third asset, and orders that close one lot. */
export class FeeValuesAndLotOrders1763700000034 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...FEE_VALUES, ...LOT_ORDERS]) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
