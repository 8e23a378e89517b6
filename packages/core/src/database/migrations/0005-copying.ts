import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables of strategies and copiers, and adds the copied strategy to trades. */
export class Copying1763700000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createStrategies(runner);
    await createCopiers(runner);
    // A copy refers to its source trade; its `strategy_id` is NULL. This column stores the copied strategy for filters.
    await runner.query('ALTER TABLE trades ADD copied_strategy_id uuid REFERENCES strategies');
    await runner.query('ALTER TABLE trades ADD FOREIGN KEY (strategy_id) REFERENCES strategies');
    await runner.query('ALTER TABLE trades ADD FOREIGN KEY (copier_id) REFERENCES copiers');
    for (const sort of ['created_at', 'updated_at']) {
      await runner.query(`
        CREATE INDEX trades_user_strategy_${sort}_idx
        ON trades (user_id, (coalesce(strategy_id, copied_strategy_id)), ${sort}, id)
        WHERE coalesce(strategy_id, copied_strategy_id) IS NOT NULL`);
    }
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}

async function createStrategies(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE strategies (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users,
      exchange_account_id uuid NOT NULL REFERENCES exchange_accounts,
      name text NOT NULL,
      description text,
      trade_pair_ids uuid[] CHECK (cardinality(trade_pair_ids) > 0),
      visibility text NOT NULL CHECK (visibility IN ('PRIVATE', 'PUBLIC')),
      status text NOT NULL CHECK (status IN ('ACTIVE', 'ARCHIVED')),
      profit_share_rate numeric(38,18) CHECK (profit_share_rate BETWEEN 0 AND 0.5),
      profit_share_period text CHECK (profit_share_period IN ('WEEK', 'MONTH', 'QUARTER')),
      min_copy_equity numeric(38,18) CHECK (min_copy_equity > 0),
      capacity integer CHECK (capacity > 0),
      deleted_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      CHECK ((profit_share_rate IS NULL) = (profit_share_period IS NULL))
    )`);
  for (const sort of ['created_at', 'name']) {
    await runner.query(`
      CREATE INDEX strategies_user_${sort}_idx ON strategies (user_id, ${sort}, id) WHERE deleted_at IS NULL`);
    await runner.query(`
      CREATE INDEX strategies_public_${sort}_idx ON strategies (${sort}, id)
      WHERE deleted_at IS NULL AND visibility = 'PUBLIC' AND status = 'ACTIVE'`);
  }
  await runner.query(`
    CREATE INDEX strategies_account_idx ON strategies (exchange_account_id)
    WHERE deleted_at IS NULL AND status = 'ACTIVE'`);
}

async function createCopiers(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE copiers (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users,
      strategy_id uuid REFERENCES strategies,
      exchange_account_id uuid NOT NULL REFERENCES exchange_accounts,
      name text NOT NULL,
      status text NOT NULL CHECK (status IN ('ACTIVE', 'CLOSE_ONLY', 'PAUSED')),
      status_reason text,
      sizing_mode text NOT NULL
        CHECK (sizing_mode IN ('FIXED_AMOUNT', 'FIXED_QUOTE', 'MULTIPLIER', 'EQUITY_RATIO')),
      sizing_value numeric(38,18) NOT NULL CHECK (sizing_value > 0),
      sizing_capital numeric(38,18) CHECK (sizing_capital > 0),
      max_trade_quote numeric(38,18) CHECK (max_trade_quote > 0),
      max_open_quote numeric(38,18) CHECK (max_open_quote > 0),
      max_open_trades integer CHECK (max_open_trades > 0),
      max_daily_loss_quote numeric(38,18) CHECK (max_daily_loss_quote > 0),
      max_drawdown_percent numeric(38,18) CHECK (max_drawdown_percent > 0 AND max_drawdown_percent <= 100),
      max_slippage_bps integer CHECK (max_slippage_bps BETWEEN 0 AND 10000),
      max_signal_age_ms integer NOT NULL CHECK (max_signal_age_ms > 0),
      max_leverage numeric(38,18) CHECK (max_leverage > 0),
      allowed_pairs text[],
      blocked_pairs text[],
      allowed_sides text[],
      on_breach text NOT NULL CHECK (on_breach IN ('CLOSE_ONLY', 'PAUSE')),
      below_minimum text NOT NULL CHECK (below_minimum IN ('SKIP', 'ACCUMULATE', 'ROUND_UP')),
      copy_existing boolean NOT NULL,
      high_water_mark numeric(38,18) NOT NULL DEFAULT 0,
      started_at timestamptz,
      stopped_at timestamptz,
      deleted_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      CHECK (status = 'PAUSED' OR (strategy_id IS NOT NULL AND started_at IS NOT NULL AND deleted_at IS NULL)),
      CHECK (NOT allowed_pairs && blocked_pairs)
    )`);
  for (const sort of ['created_at', 'name']) {
    await runner.query(`
      CREATE INDEX copiers_user_${sort}_idx ON copiers (user_id, ${sort}, id) WHERE deleted_at IS NULL`);
  }
  await runner.query('CREATE INDEX copiers_strategy_idx ON copiers (strategy_id) WHERE deleted_at IS NULL');
  await runner.query(`
    CREATE INDEX copiers_account_idx ON copiers (exchange_account_id)
    WHERE deleted_at IS NULL AND status <> 'PAUSED'`);
}
