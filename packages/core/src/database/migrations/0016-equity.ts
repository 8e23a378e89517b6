import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables of equity snapshots and of the daily results. */
export class Equity1763700000016 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...SNAPSHOTS, ...RESULTS, ...MARKS, ...INDEXES]) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}

const SNAPSHOTS = [
  // One row per period: its latest snapshot. `period` is the start of the period.
  `CREATE TABLE equity_snapshots (
     exchange_account_id uuid NOT NULL REFERENCES exchange_accounts,
     currency text NOT NULL,
     period timestamptz NOT NULL,
     taken_at timestamptz NOT NULL,
     amount numeric(38,18) NOT NULL,
     PRIMARY KEY (exchange_account_id, currency, period)
   )`,
  'CREATE INDEX equity_snapshots_period_idx ON equity_snapshots (period)',
  // The currencies of an account's results, in which its equity is also valued.
  `CREATE TABLE equity_currencies (
     exchange_account_id uuid NOT NULL REFERENCES exchange_accounts,
     currency text NOT NULL,
     PRIMARY KEY (exchange_account_id, currency)
   )`,
];

/** Stands for "no strategy" and for "any strategy", because a primary key cannot contain NULL. */
const NIL = "'00000000-0000-0000-0000-000000000000'";

const RESULTS = [
  // The sums of fills, lots and trades of one UTC day. Only the refresh of results writes them.
  `CREATE TABLE result_days (
     user_id uuid NOT NULL,
     day date NOT NULL,
     exchange_account_id uuid NOT NULL,
     trade_pair_id uuid NOT NULL,
     strategy_id uuid NOT NULL DEFAULT ${NIL},
     pending_count integer NOT NULL,
     partially_filled_count integer NOT NULL,
     filled_count integer NOT NULL,
     cancelled_count integer NOT NULL,
     failed_count integer NOT NULL,
     fill_count integer NOT NULL,
     unmatched_count integer NOT NULL,
     volume numeric NOT NULL,
     fees numeric NOT NULL,
     fees_in_quote numeric NOT NULL,
     fees_in_base numeric NOT NULL,
     fees_in_others jsonb,
     part_count integer NOT NULL,
     net_pnl numeric NOT NULL,
     closed_count integer NOT NULL,
     winning_count integer NOT NULL,
     losing_count integer NOT NULL,
     gross_profit numeric NOT NULL,
     gross_loss numeric NOT NULL,
     holding_seconds numeric NOT NULL,
     best_pnl numeric,
     best_trade_id uuid,
     worst_pnl numeric,
     worst_trade_id uuid,
     PRIMARY KEY (user_id, day, exchange_account_id, trade_pair_id, strategy_id)
   )`,
  `CREATE INDEX result_days_strategy_idx ON result_days (strategy_id, day) WHERE strategy_id <> ${NIL}`,
  // Runs of losses cannot be added over pairs, so they are stored for every combination of filters. Bits of selected_by:
  // 1 account, 2 pair, 4 strategy. The id of an unused filter is nil.
  `CREATE TABLE result_runs (
     user_id uuid NOT NULL,
     selected_by smallint NOT NULL,
     exchange_account_id uuid NOT NULL,
     trade_pair_id uuid NOT NULL,
     strategy_id uuid NOT NULL,
     quote text NOT NULL,
     day date NOT NULL,
     closed_count integer NOT NULL,
     first_losses integer NOT NULL,
     last_losses integer NOT NULL,
     longest integer NOT NULL,
     PRIMARY KEY (user_id, selected_by, exchange_account_id, trade_pair_id, strategy_id, quote, day)
   )`,
  'CREATE INDEX result_runs_day_idx ON result_runs (user_id, day)',
  // The results of strategies on their own accounts and of all their copiers, computed from result_days.
  `CREATE TABLE strategy_days (
     strategy_id uuid NOT NULL,
     quote text NOT NULL,
     day date NOT NULL,
     fill_count integer NOT NULL,
     part_count integer NOT NULL,
     closed_count integer NOT NULL,
     winning_count integer NOT NULL,
     net_pnl numeric NOT NULL,
     copier_net_pnl numeric NOT NULL,
     PRIMARY KEY (strategy_id, quote, day)
   )`,
  // Days whose rows in the tables above may be outdated. Rows are only inserted and deleted, so that no booking waits for
  // another one here.
  `CREATE TABLE result_marks (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     user_id uuid NOT NULL,
     day date NOT NULL
   )`,
  'CREATE INDEX result_marks_user_idx ON result_marks (user_id, day)',
];

const dayOf = (instant: string) => `(${instant} AT TIME ZONE 'UTC')::date`;

/** Creates a trigger that marks the days of changed rows in the transaction of the change, for every writer. */
function markAfter(table: string, operation: 'INSERT' | 'UPDATE' | 'DELETE', days: string): string[] {
  const name = `${table}_mark_results_of_${operation.toLowerCase()}`;
  const rows = {
    INSERT: 'NEW TABLE AS new_rows',
    UPDATE: 'OLD TABLE AS old_rows NEW TABLE AS new_rows',
    DELETE: 'OLD TABLE AS old_rows',
  }[operation];
  return [
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       INSERT INTO result_marks (user_id, day) SELECT DISTINCT user_id, day FROM (${days}) d WHERE day IS NOT NULL;
       RETURN NULL;
     END $$`,
    `CREATE TRIGGER ${name} AFTER ${operation} ON ${table} REFERENCING ${rows}
     FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`,
  ];
}

const daysOfFills = (rows: string) => `
  SELECT t.user_id, ${dayOf('f.executed_at')} AS day FROM ${rows} f JOIN trades t ON t.id = f.trade_id`;
const daysOfClosures = (rows: string) => `
  SELECT t.user_id, ${dayOf('c.closed_at')} AS day FROM ${rows} c JOIN trades t ON t.id = c.trade_id`;

/** A trade counts on the day of its creation. A closed trade also counts on the day of its closing. */
const DAYS_OF_CHANGED_TRADES = `
  SELECT n.user_id, unnest(ARRAY[
    ${dayOf('n.created_at')}, ${dayOf('o.closed_at')}, ${dayOf('n.closed_at')}]) AS day
  FROM new_rows n JOIN old_rows o ON o.id = n.id
  WHERE (n.status, n.closed_at, n.realized_pnl, n.created_at)
    IS DISTINCT FROM (o.status, o.closed_at, o.realized_pnl, o.created_at)`;

const MARKS = [
  ...markAfter('fills', 'INSERT', daysOfFills('new_rows')),
  ...markAfter('trades', 'INSERT', `SELECT user_id, ${dayOf('created_at')} AS day FROM new_rows`),
  ...markAfter('trades', 'UPDATE', DAYS_OF_CHANGED_TRADES),
  ...markAfter('lot_closures', 'INSERT', daysOfClosures('new_rows')),
  ...markAfter('lot_closures', 'DELETE', daysOfClosures('old_rows')),
  ...markAfter(
    'lot_closures',
    'UPDATE',
    `${daysOfClosures('old_rows')} UNION ALL ${daysOfClosures('new_rows')}`,
  ),
  // Mark the days of existing rows.
  `INSERT INTO result_marks (user_id, day)
   SELECT user_id, ${dayOf('created_at')} FROM trades
   UNION SELECT t.user_id, ${dayOf('f.executed_at')} FROM fills f JOIN trades t ON t.id = f.trade_id`,
];

const INDEXES = [
  'CREATE INDEX trades_user_closed_idx ON trades (user_id, closed_at) WHERE closed_at IS NOT NULL',
];
