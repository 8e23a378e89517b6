import type { MigrationInterface, QueryRunner } from 'typeorm';

const NIL = "'00000000-0000-0000-0000-000000000000'";

const PRIVACY = [
  // Whether the user of a copy owns the copied strategy; null for trades of earlier releases.
  'ALTER TABLE trades ADD COLUMN copies_own_strategy boolean',
  'ALTER TABLE strategies ADD COLUMN allow_multiplier boolean NOT NULL DEFAULT false',
  // Strategies whose owner is still to be notified that copiers of other users keep the sizing mode MULTIPLIER.
  'CREATE TABLE multiplier_notices (strategy_id uuid PRIMARY KEY REFERENCES strategies)',
  `INSERT INTO multiplier_notices (strategy_id)
   SELECT DISTINCT s.id FROM strategies s JOIN copiers c ON c.strategy_id = s.id
   WHERE c.sizing_mode = 'MULTIPLIER' AND c.user_id <> s.user_id AND c.deleted_at IS NULL AND s.deleted_at IS NULL`,
];

const PRICES = [
  // The last price of a pair on each UTC day, by which open lots are valued at the end of the day.
  `CREATE TABLE pair_day_prices (
     trade_pair_id uuid NOT NULL REFERENCES trade_pairs,
     day date NOT NULL,
     price numeric(38,18) NOT NULL CHECK (price > 0),
     taken_at timestamptz NOT NULL,
     PRIMARY KEY (trade_pair_id, day)
   )`,
  // Before this release no prices were kept: the last fill of a day is the best known price of that day.
  `INSERT INTO pair_day_prices (trade_pair_id, day, price, taken_at)
   SELECT DISTINCT ON (1, 2) t.trade_pair_id, (f.executed_at AT TIME ZONE 'UTC')::date, f.price, f.executed_at
   FROM fills f JOIN trades t ON t.id = f.trade_id WHERE f.price > 0
   ORDER BY 1, 2, f.executed_at DESC, f.id`,
];

const RESULTS = [
  // What the fills of the day changed in the open lots: base amount and cost, negative for lots of sales. Null in rows
  // of earlier releases, which are then recomputed.
  'ALTER TABLE result_days ADD COLUMN held_change numeric, ADD COLUMN cost_change numeric',
  'CREATE INDEX result_days_outdated_idx ON result_days (user_id, day) WHERE held_change IS NULL',
  `CREATE INDEX result_days_held_idx ON result_days (strategy_id, exchange_account_id, trade_pair_id, day)
   WHERE strategy_id <> ${NIL}`,
];

const LEADERBOARD = [
  // The performance of each strategy, computed by a job. The columns named public_ are what other users see; they stay
  // as they are once the strategy is private or deleted.
  `CREATE TABLE strategy_figures (
     strategy_id uuid PRIMARY KEY REFERENCES strategies,
     computed_at timestamptz NOT NULL,
     has_open_lots boolean NOT NULL,
     performance jsonb NOT NULL,
     public_performance jsonb,
     public_roi numeric,
     public_max_drawdown_percent numeric,
     public_copier_roi numeric,
     copying_users integer NOT NULL
   )`,
  'CREATE INDEX strategy_figures_computed_idx ON strategy_figures (computed_at)',
  // The strategies that a copier of another user ever followed. They stay listed.
  `CREATE TABLE copied_strategies (
     strategy_id uuid PRIMARY KEY REFERENCES strategies,
     first_copied_at timestamptz NOT NULL
   )`,
  `INSERT INTO copied_strategies (strategy_id, first_copied_at)
   SELECT s.id, min(c.at) FROM strategies s JOIN (
     SELECT strategy_id, user_id, started_at AS at FROM copiers WHERE started_at IS NOT NULL
     UNION ALL SELECT copied_strategy_id, user_id, created_at FROM trades WHERE copied_strategy_id IS NOT NULL
   ) c ON c.strategy_id = s.id AND c.user_id <> s.user_id GROUP BY s.id`,
  // A trigger, because copiers are also started by processes of the previous release during a deployment.
  `CREATE FUNCTION record_copied_strategy() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO copied_strategies (strategy_id, first_copied_at)
     SELECT s.id, NEW.started_at FROM strategies s WHERE s.id = NEW.strategy_id AND s.user_id <> NEW.user_id
     ON CONFLICT DO NOTHING;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER record_copied_strategy AFTER INSERT OR UPDATE OF started_at ON copiers FOR EACH ROW
   WHEN (NEW.started_at IS NOT NULL AND NEW.strategy_id IS NOT NULL) EXECUTE FUNCTION record_copied_strategy()`,
  'CREATE INDEX strategies_line_idx ON strategies (exchange_account_id, user_id, created_at)',
];

/** Adds what the privacy of leaders, performance by equity and the leaderboard need. */
export class LeaderPrivacy1763700000032 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...PRIVACY, ...PRICES, ...RESULTS, ...LEADERBOARD])
      await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
