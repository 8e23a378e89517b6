import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the columns and indexes for copies and external trades, and the table of reconciliations. */
export class Orders1763700000014 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Rows of earlier releases, including one that runs beside this release, have NULL here. Then `amount` is the requested
    // amount, and the intent follows from the side. Filling every row now would block trading.
    await runner.query(`
      ALTER TABLE trades
        ADD requested_amount numeric(38,18) CHECK (requested_amount > 0),
        ADD intent text CHECK (intent IN ('OPEN', 'INCREASE', 'REDUCE', 'CLOSE')),
        ADD source_fill_id uuid REFERENCES fills,
        ADD copy jsonb,
        ADD is_exit boolean NOT NULL DEFAULT false,
        ADD resend_until timestamptz,
        ADD send_after timestamptz,
        ADD leader_equity numeric(38,18),
        ADD reconciled_at timestamptz`);
    // Some exchanges number orders per symbol. An order that was found at the exchange becomes a trade once.
    await runner.query(`
      CREATE INDEX trades_account_exchange_order_idx ON trades (exchange_account_id, exchange_order_id)`);
    await runner.query(`
      CREATE UNIQUE INDEX trades_external_order_key ON trades (exchange_account_id, symbol, exchange_order_id)
      WHERE origin = 'EXTERNAL'`);
    await runner.query(`
      CREATE INDEX trades_unsent_idx ON trades (exchange_account_id, is_exit DESC, created_at, id)
      WHERE status = 'PENDING' AND submitted_at IS NULL`);
    await runner.query(`
      CREATE INDEX trades_account_open_idx ON trades (exchange_account_id, id)
      WHERE status IN ('PENDING', 'PARTIALLY_FILLED')`);
    await runner.query(`
      CREATE INDEX trades_copier_open_idx ON trades (copier_id, id)
      WHERE status IN ('PENDING', 'PARTIALLY_FILLED')`);
    // The differences that the last reconciliations of an account found, and since when; a later one resolves them.
    await runner.query(`
      CREATE TABLE reconciliations (
        exchange_account_id uuid PRIMARY KEY REFERENCES exchange_accounts,
        shortfalls jsonb NOT NULL DEFAULT '{}',
        suspected_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        reconciled_at timestamptz NOT NULL
      )`);
    // Earlier manual trades on existing accounts are not reported.
    await runner.query(`
      INSERT INTO reconciliations (exchange_account_id, reconciled_at)
      SELECT id, clock_timestamp() FROM exchange_accounts WHERE deleted_at IS NULL`);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
