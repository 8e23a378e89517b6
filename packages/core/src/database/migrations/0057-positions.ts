import type { MigrationInterface, QueryRunner } from 'typeorm';

const POSITIONS = [
  // One row for each account and market, for ever: the last report of the venue, and the account's settings for the market.
  // The amount is in base currency, money in the settlement currency. Without a position, the amount is zero.
  `CREATE TABLE positions (
     id uuid PRIMARY KEY,
     user_id uuid NOT NULL,
     exchange_account_id uuid NOT NULL REFERENCES exchange_accounts ON DELETE CASCADE,
     trade_pair_id uuid REFERENCES trade_pairs,
     symbol text NOT NULL,
     side text CHECK (side IN ('LONG', 'SHORT')),
     amount numeric(38,18) NOT NULL DEFAULT 0 CHECK (amount >= 0),
     entry_price numeric(38,18),
     mark_price numeric(38,18),
     liquidation_price numeric(38,18),
     unrealized_pnl numeric(38,18),
     maintenance_margin numeric(38,18),
     isolated_margin numeric(38,18),
     leverage numeric(38,18),
     max_leverage numeric(38,18),
     margin_mode text CHECK (margin_mode IN ('CROSS', 'ISOLATED')),
     is_supported boolean NOT NULL DEFAULT true,
     reported_at timestamptz,
     settings_at timestamptz,
     is_margin_called boolean NOT NULL DEFAULT false,
     created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     CHECK (amount = 0 OR side IS NOT NULL),
     CONSTRAINT positions_account_symbol_key UNIQUE (exchange_account_id, symbol)
   )`,
  'CREATE INDEX positions_user_open_idx ON positions (user_id, created_at, id) WHERE amount > 0',
  'CREATE INDEX positions_account_pair_idx ON positions (exchange_account_id, trade_pair_id)',
  // The cross margin of an account, as its venue last reported it.
  `CREATE TABLE account_margins (
     exchange_account_id uuid PRIMARY KEY REFERENCES exchange_accounts ON DELETE CASCADE,
     currency text NOT NULL,
     equity numeric(38,18) NOT NULL,
     available numeric(38,18) NOT NULL,
     maintenance_margin numeric(38,18) NOT NULL,
     read_at timestamptz NOT NULL,
     is_margin_called boolean NOT NULL DEFAULT false
   )`,
];

/** Adds positions in perpetuals, the margin of accounts, and the side of the position that an order changes. */
export class Positions1763700000057 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of POSITIONS) await runner.query(statement);
    await runner.query('ALTER TABLE trades ADD COLUMN position_side text');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
