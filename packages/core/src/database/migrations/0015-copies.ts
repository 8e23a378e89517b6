import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables of decisions, copied lots, and the profit from which a copier's losses are measured. */
export class Copies1763700000015 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await extendCopiers(runner);
    await createCopiedLots(runner);
    await createDecisions(runner);
    // For the results of a copier, from open and closed lots.
    await runner.query('CREATE INDEX lots_copier_idx ON lots (copier_id) WHERE copier_id IS NOT NULL');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}

async function extendCopiers(runner: QueryRunner): Promise<void> {
  // Sequences of the strategy's signals. followed_sequence: the last one before the copier followed the strategy (NULL if
  // it never did). resumed_sequence: the last one while the copier was paused. started_sequence: the watermark.
  await runner.query(`
    ALTER TABLE copiers
      ADD followed_sequence bigint,
      ADD started_sequence bigint NOT NULL DEFAULT 0,
      ADD resumed_sequence bigint NOT NULL DEFAULT 0,
      ADD drift jsonb NOT NULL DEFAULT '[]'`);
  await runner.query('UPDATE copiers SET followed_sequence = 0 WHERE started_at IS NOT NULL');
  await runner.query(`
    CREATE TABLE copy_progress (
      strategy_id uuid PRIMARY KEY REFERENCES strategies,
      planned_sequence bigint NOT NULL
    )`);
  await runner.query(`
    CREATE TABLE copier_marks (
      copier_id uuid NOT NULL REFERENCES copiers,
      quote text NOT NULL,
      day date NOT NULL,
      day_pnl numeric NOT NULL,
      peak_pnl numeric NOT NULL,
      pnl numeric NOT NULL,
      updated_at timestamptz NOT NULL,
      PRIMARY KEY (copier_id, quote)
    )`);
}

async function createCopiedLots(runner: QueryRunner): Promise<void> {
  // One row for each copier and lot. Amounts are in base currency; the ratio is a fraction of integers.
  await runner.query(`
    CREATE TABLE copied_lots (
      copier_id uuid NOT NULL REFERENCES copiers,
      strategy_id uuid NOT NULL,
      lot_trade_id uuid NOT NULL,
      ratio_numerator numeric,
      ratio_denominator numeric CHECK (ratio_denominator > 0),
      terms jsonb NOT NULL,
      sent_amount numeric NOT NULL CHECK (sent_amount >= 0),
      sent_quote numeric NOT NULL CHECK (sent_quote >= 0),
      forgone_amount numeric NOT NULL CHECK (forgone_amount >= 0),
      seen_amount numeric NOT NULL CHECK (seen_amount >= 0),
      owed_amount numeric NOT NULL CHECK (owed_amount >= 0),
      created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (copier_id, lot_trade_id),
      CHECK ((ratio_numerator IS NULL) = (ratio_denominator IS NULL))
    )`);
}

async function createDecisions(runner: QueryRunner): Promise<void> {
  // A thousand rows are written at once, so there are no foreign keys to records that the copier, signal or trade
  // already references.
  // pending_trade_id: the order whose end is not settled yet.
  // is_applied: whether the copied lot includes the effect of the signal; it also stores the amount that is still owed.
  await runner.query(`
    CREATE TABLE decisions (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL,
      copier_id uuid NOT NULL REFERENCES copiers,
      strategy_id uuid NOT NULL,
      exchange_account_id uuid NOT NULL,
      signal_id uuid NOT NULL REFERENCES signals,
      sequence bigint NOT NULL,
      source_trade_id uuid NOT NULL,
      lot_trade_id uuid NOT NULL,
      symbol text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('OPEN', 'INCREASE', 'REDUCE', 'CLOSE')),
      reference_price numeric(38,18) NOT NULL,
      signal_at timestamptz NOT NULL,
      outcome text NOT NULL CHECK (outcome IN ('COPIED', 'CLAMPED', 'SKIPPED', 'FAILED')),
      code text,
      inputs jsonb NOT NULL,
      target_amount numeric NOT NULL,
      sent_amount numeric NOT NULL DEFAULT 0,
      filled_amount numeric NOT NULL DEFAULT 0,
      filled_cost numeric NOT NULL DEFAULT 0,
      trade_id uuid REFERENCES trades,
      pending_trade_id uuid CHECK (pending_trade_id = trade_id),
      attempt integer NOT NULL DEFAULT 0,
      is_applied boolean NOT NULL,
      is_abandoned boolean NOT NULL DEFAULT false,
      look_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      latency_ms integer,
      slippage_bps numeric,
      settled_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
    )`);
  await runner.query('CREATE UNIQUE INDEX decisions_signal_copier_key ON decisions (signal_id, copier_id)');
  await runner.query('CREATE INDEX decisions_unsettled_idx ON decisions (look_at) WHERE settled_at IS NULL');
  await runner.query(`
    CREATE INDEX decisions_unsettled_lot_idx ON decisions (copier_id, lot_trade_id) WHERE settled_at IS NULL`);
  for (const sort of ['created_at', 'sequence']) {
    await runner.query(`CREATE INDEX decisions_copier_${sort}_idx ON decisions (copier_id, ${sort}, id)`);
    await runner.query(
      `CREATE INDEX decisions_copier_outcome_${sort}_idx ON decisions (copier_id, outcome, ${sort}, id)`,
    );
  }
}
