import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables of profit shares and of the settlement's progress. */
export class ProfitShares1763700000019 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createShares(runner);
    await extendRewards(runner);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}

async function createShares(runner: QueryRunner): Promise<void> {
  // Each row raises the high-water mark of one copier, strategy and quote currency. Unique keys ensure, for every writer,
  // that a period is settled once and profit above a mark is shared once. At rate 0 nothing is granted: copying was free.
  await runner.query(`
    CREATE TABLE profit_shares (
      id uuid PRIMARY KEY,
      copier_id uuid NOT NULL REFERENCES copiers,
      strategy_id uuid NOT NULL REFERENCES strategies,
      quote text NOT NULL,
      period_from timestamptz NOT NULL,
      period_to timestamptz NOT NULL,
      rate numeric(38,18) NOT NULL CHECK (rate BETWEEN 0 AND 0.5),
      tokens_per_quote numeric(38,18) CHECK (tokens_per_quote > 0),
      high_water_before numeric(38,18) NOT NULL CHECK (high_water_before >= 0),
      high_water_after numeric(38,18) NOT NULL,
      created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      CHECK (period_from < period_to),
      CHECK (high_water_after > high_water_before),
      CHECK (rate = 0 OR tokens_per_quote IS NOT NULL),
      CONSTRAINT profit_shares_period_key UNIQUE (copier_id, strategy_id, quote, period_to),
      CONSTRAINT profit_shares_mark_key UNIQUE (copier_id, strategy_id, quote, high_water_before)
    )`);
  await runner.query(`
    CREATE TRIGGER profit_shares_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON profit_shares
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change()`);
  // Periods up to this instant are settled for all copiers. The row only avoids checking them again.
  await runner.query(`
    CREATE TABLE profit_share_progress (
      period text PRIMARY KEY CHECK (period IN ('WEEK', 'MONTH', 'QUARTER')),
      settled_until timestamptz NOT NULL
    )`);
}

async function extendRewards(runner: QueryRunner): Promise<void> {
  await runner.query('ALTER TABLE reward_types ADD period text');
  // A reward is granted for an event or for a settled share.
  await runner.query(`
    ALTER TABLE rewards ALTER event_id DROP NOT NULL,
      ADD profit_share_id uuid REFERENCES profit_shares,
      ADD CONSTRAINT rewards_profit_share_key UNIQUE (profit_share_id),
      ADD CONSTRAINT rewards_occasion_check CHECK ((event_id IS NULL) <> (profit_share_id IS NULL))`);
}
