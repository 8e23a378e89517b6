import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the table of signals, which copiers read in a gapless order. */
export class Signals1763700000013 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE strategy_sequences (
        strategy_id uuid PRIMARY KEY REFERENCES strategies,
        last_sequence bigint NOT NULL CHECK (last_sequence >= 0)
      )`);
    await runner.query(`
      CREATE TABLE signals (
        id uuid PRIMARY KEY,
        strategy_id uuid NOT NULL REFERENCES strategies,
        sequence bigint NOT NULL CHECK (sequence > 0),
        kind text NOT NULL CHECK (kind IN ('OPEN', 'INCREASE', 'REDUCE', 'CLOSE')),
        side text NOT NULL CHECK (side IN ('BUY', 'SELL')),
        trade_pair_id uuid NOT NULL,
        symbol text NOT NULL,
        trading_type text NOT NULL,
        exchange_account_id uuid NOT NULL,
        lot_trade_id uuid NOT NULL,
        lot_first_sequence bigint NOT NULL,
        lot_opened_at timestamptz NOT NULL,
        lot_order_amount numeric(38,18) NOT NULL,
        source_trade_id uuid NOT NULL,
        source_fill_id uuid NOT NULL,
        filled_amount numeric(38,18) NOT NULL CHECK (filled_amount >= 0),
        cumulative_amount numeric(38,18) NOT NULL CHECK (cumulative_amount >= 0),
        lot_amount_before numeric(38,18) NOT NULL CHECK (lot_amount_before >= 0),
        lot_amount_after numeric(38,18) NOT NULL CHECK (lot_amount_after >= 0),
        exit_amount numeric(38,18) NOT NULL CHECK (exit_amount >= 0),
        reference_price numeric(38,18) NOT NULL,
        leader_equity numeric(38,18),
        leader_ratio numeric,
        signal_at timestamptz NOT NULL,
        emitted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        UNIQUE (strategy_id, sequence),
        UNIQUE (source_fill_id, lot_trade_id),
        CHECK ((kind IN ('OPEN', 'INCREASE')) = (exit_amount = 0)),
        CHECK ((kind = 'CLOSE') = (exit_amount > 0 AND lot_amount_after = 0))
      )`);
    await runner.query('CREATE INDEX signals_lot_idx ON signals (lot_trade_id, sequence)');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
