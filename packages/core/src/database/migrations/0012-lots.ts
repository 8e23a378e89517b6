import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables of lot books, lots and closures. */
export class Lots1763700000012 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createBooks(runner);
    await createLots(runner);
    await createClosures(runner);
    // A late fill can reset `closed_at`, but the event that reported the closing cannot be undone.
    await runner.query('ALTER TABLE trades ADD is_closing_told boolean NOT NULL DEFAULT false');
    // The worker books the fills of earlier releases in batches. Booking them here would delay the release.
    await runner.query(`
      INSERT INTO lot_books (exchange_account_id, trade_pair_id, is_behind)
      SELECT DISTINCT exchange_account_id, trade_pair_id, true FROM trades WHERE filled_amount > 0`);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}

async function createBooks(runner: QueryRunner): Promise<void> {
  // One row for each account and pair. The worker that books fills locks it. The lots include all fills up to its position.
  await runner.query(`
    CREATE TABLE lot_books (
      exchange_account_id uuid NOT NULL REFERENCES exchange_accounts,
      trade_pair_id uuid NOT NULL REFERENCES trade_pairs,
      last_executed_at timestamptz NOT NULL DEFAULT '-infinity',
      last_fill_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
      is_behind boolean NOT NULL DEFAULT false,
      PRIMARY KEY (exchange_account_id, trade_pair_id)
    )`);
  await runner.query(
    'CREATE INDEX lot_books_behind_idx ON lot_books (exchange_account_id, trade_pair_id) WHERE is_behind',
  );
}

async function createLots(runner: QueryRunner): Promise<void> {
  // A lot has the id of the fill that opened it, so that it keeps its id when its fills are booked again.
  await runner.query(`
    CREATE TABLE lots (
      id uuid PRIMARY KEY REFERENCES fills,
      user_id uuid NOT NULL,
      exchange_account_id uuid NOT NULL,
      trade_pair_id uuid NOT NULL,
      symbol text NOT NULL,
      copier_id uuid,
      strategy_id uuid,
      source_trade_id uuid,
      trade_id uuid NOT NULL,
      side text NOT NULL CHECK (side IN ('BUY', 'SELL')),
      opened_amount numeric(38,18) NOT NULL CHECK (opened_amount > 0),
      open_amount numeric(38,18) NOT NULL CHECK (open_amount >= 0 AND open_amount <= opened_amount),
      opened_value numeric NOT NULL,
      open_value numeric NOT NULL,
      pnl numeric NOT NULL DEFAULT 0,
      is_detached boolean NOT NULL DEFAULT false,
      opened_at timestamptz NOT NULL,
      closed_at timestamptz,
      CHECK ((closed_at IS NULL) = (open_amount > 0)),
      CHECK (open_amount > 0 OR open_value = 0)
    )`);
  await runner.query(`
    CREATE INDEX lots_open_idx ON lots (exchange_account_id, trade_pair_id, opened_at, id)
    WHERE open_amount > 0`);
  await runner.query('CREATE INDEX lots_user_open_idx ON lots (user_id) WHERE open_amount > 0');
  await runner.query(`
    CREATE INDEX lots_copied_open_idx ON lots (source_trade_id, copier_id)
    WHERE open_amount > 0 AND copier_id IS NOT NULL`);
  await runner.query(`
    CREATE INDEX lots_copier_open_idx ON lots (copier_id) WHERE open_amount > 0 AND copier_id IS NOT NULL`);
  await runner.query('CREATE INDEX lots_trade_idx ON lots (trade_id)');
  await runner.query(
    'CREATE INDEX lots_opened_idx ON lots (exchange_account_id, trade_pair_id, opened_at, id)',
  );
}

async function createClosures(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE lot_closures (
      fill_id uuid NOT NULL REFERENCES fills,
      lot_id uuid NOT NULL REFERENCES lots,
      exchange_account_id uuid NOT NULL,
      trade_pair_id uuid NOT NULL,
      trade_id uuid NOT NULL,
      amount numeric(38,18) NOT NULL CHECK (amount > 0),
      entry_value numeric NOT NULL,
      pnl numeric NOT NULL,
      detaches boolean NOT NULL,
      closed_at timestamptz NOT NULL,
      PRIMARY KEY (fill_id, lot_id)
    )`);
  await runner.query('CREATE INDEX lot_closures_lot_idx ON lot_closures (lot_id)');
  await runner.query(`
    CREATE INDEX lot_closures_closed_idx
    ON lot_closures (exchange_account_id, trade_pair_id, closed_at, fill_id)`);
}
