import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables of exchanges, accounts with balances, pairs with their rules, trades and fills. */
export class Trading1763700000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE supported_exchanges (
        id uuid PRIMARY KEY,
        code text NOT NULL UNIQUE,
        name text NOT NULL,
        trading_types text[] NOT NULL,
        is_active boolean NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TABLE exchange_accounts (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES users,
        exchange text NOT NULL,
        account_name text NOT NULL,
        trading_type text NOT NULL,
        is_active boolean NOT NULL,
        can_withdraw boolean NOT NULL,
        venue_account_id text,
        credentials_sealed text,
        balances jsonb NOT NULL DEFAULT '{}',
        balances_taken_at timestamptz,
        last_sync_at timestamptz,
        sync_requested_at timestamptz,
        sync_served_at timestamptz,
        deleted_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CHECK (deleted_at IS NOT NULL OR credentials_sealed IS NOT NULL)
      )`);
    for (const sort of ['created_at', 'account_name', 'exchange']) {
      await runner.query(`
        CREATE INDEX exchange_accounts_user_${sort}_idx ON exchange_accounts (user_id, ${sort}, id)
        WHERE deleted_at IS NULL`);
    }
    await runner.query(`
      CREATE INDEX exchange_accounts_asked_idx ON exchange_accounts (sync_requested_at)
      WHERE deleted_at IS NULL AND is_active AND sync_requested_at > coalesce(sync_served_at, '-infinity')`);
    await runner.query(`
      CREATE INDEX exchange_accounts_served_idx ON exchange_accounts ((coalesce(sync_served_at, '-infinity')))
      WHERE deleted_at IS NULL AND is_active`);
    await runner.query(`
      CREATE TABLE trade_pairs (
        id uuid PRIMARY KEY,
        exchange text NOT NULL,
        symbol text NOT NULL,
        base text NOT NULL,
        quote text NOT NULL,
        trading_type text NOT NULL,
        price_tick numeric(38,18) NOT NULL,
        amount_step numeric(38,18) NOT NULL,
        min_amount numeric(38,18) NOT NULL,
        max_amount numeric(38,18),
        min_notional numeric(38,18) NOT NULL,
        max_notional numeric(38,18),
        last_price numeric(38,18),
        is_active boolean NOT NULL,
        rules_updated_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (exchange, trading_type, symbol)
      )`);
    for (const sort of ['created_at', 'symbol', 'exchange']) {
      await runner.query(`CREATE INDEX trade_pairs_${sort}_idx ON trade_pairs (${sort}, id)`);
    }
    await runner.query(`
      CREATE TABLE trades (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES users,
        exchange_account_id uuid NOT NULL REFERENCES exchange_accounts,
        trade_pair_id uuid NOT NULL REFERENCES trade_pairs,
        symbol text NOT NULL,
        trading_type text NOT NULL,
        strategy_id uuid,
        copier_id uuid,
        source_trade_id uuid REFERENCES trades,
        client_order_id text NOT NULL,
        venue_client_order_id text,
        exchange_order_id text,
        origin text NOT NULL,
        type text NOT NULL,
        side text NOT NULL CHECK (side IN ('BUY', 'SELL')),
        reduce_only boolean NOT NULL,
        time_in_force text NOT NULL,
        price numeric(38,18) CHECK (price > 0),
        stop_price numeric(38,18) CHECK (stop_price > 0),
        amount numeric(38,18) NOT NULL CHECK (amount > 0),
        filled_amount numeric(38,18) NOT NULL DEFAULT 0 CHECK (filled_amount >= 0),
        cost numeric(38,18) NOT NULL DEFAULT 0,
        fees jsonb NOT NULL DEFAULT '[]',
        realized_pnl numeric(38,18),
        reserved_asset text NOT NULL,
        reserved_amount numeric(38,18) NOT NULL CHECK (reserved_amount >= 0),
        status text NOT NULL CHECK (status IN ('PENDING', 'PARTIALLY_FILLED', 'FILLED', 'CANCELLED', 'FAILED')),
        sub_status text,
        failure_code text,
        failure_message text,
        cancel_reason text,
        version integer NOT NULL DEFAULT 1,
        probes integer NOT NULL DEFAULT 0,
        look_at timestamptz NOT NULL,
        submitted_at timestamptz,
        acknowledged_at timestamptz,
        filled_at timestamptz,
        cancelled_at timestamptz,
        closed_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    await runner.query(
      'CREATE UNIQUE INDEX trades_account_client_order_key ON trades (exchange_account_id, client_order_id)',
    );
    await runner.query(
      'CREATE UNIQUE INDEX trades_account_venue_client_order_key ON trades (exchange_account_id, venue_client_order_id)',
    );
    for (const sort of ['created_at', 'updated_at']) {
      await runner.query(`CREATE INDEX trades_user_${sort}_idx ON trades (user_id, ${sort}, id)`);
    }
    await runner.query(
      'CREATE INDEX trades_account_created_idx ON trades (exchange_account_id, created_at, id)',
    );
    await runner.query(`
      CREATE INDEX trades_open_idx ON trades (look_at) WHERE status IN ('PENDING', 'PARTIALLY_FILLED')`);
    await runner.query(`
      CREATE INDEX trades_reserving_idx ON trades (exchange_account_id, acknowledged_at)
      WHERE status <> 'FAILED' AND reserved_amount > 0`);
    await runner.query(`
      CREATE TABLE fills (
        id uuid PRIMARY KEY,
        trade_id uuid NOT NULL REFERENCES trades,
        exchange_account_id uuid NOT NULL REFERENCES exchange_accounts,
        symbol text NOT NULL,
        exchange_fill_id text NOT NULL,
        price numeric(38,18) NOT NULL,
        amount numeric(38,18) NOT NULL CHECK (amount > 0),
        fee_amount numeric(38,18) NOT NULL,
        fee_currency text NOT NULL,
        liquidity text NOT NULL,
        executed_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (trade_id, exchange_fill_id)
      )`);
    await runner.query('CREATE INDEX fills_trade_idx ON fills (trade_id, executed_at, id)');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
