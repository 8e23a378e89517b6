/**
 * Writes the data that `analytics.mjs` reads: the trades, fills and lots of one user, directly into the database. The rows
 * are the same as the trading worker would write.
 */

/** Each trade has two fills. The trades of a pair alternate between a purchase and its sale. */
export const FILLS_A_TRADE = 2;
export const DAYS = 365;
export const PAIRS = 10;
export const ACCOUNTS = 2;
export const STRATEGIES = 3;
const TRADES_PER_STATEMENT = 50_000;

/**
 * Writes a user with the given number of fills.
 *
 * @param {{ database: import('pg').Client, fills: number }} options
 * @returns {Promise<string>} the user's id
 */
export async function writeTrades({ database, fills }) {
  const { rows } = await database.query('INSERT INTO users (id) VALUES (gen_random_uuid()) RETURNING id');
  const userId = rows[0].id;
  await database.query(ACCOUNTS_SQL, [userId, ACCOUNTS]);
  await database.query(PAIRS_SQL, [PAIRS]);
  await database.query(STRATEGIES_SQL, [userId, STRATEGIES]);
  const trades = fills / FILLS_A_TRADE;
  for (let from = 0; from < trades; from += TRADES_PER_STATEMENT)
    await database.query(TRADES_SQL, [trades, from, Math.min(from + TRADES_PER_STATEMENT, trades) - 1, DAYS]);
  await database.query(FILLS_SQL);
  await database.query(LOTS_SQL);
  await database.query(CLOSURES_SQL);
  await database.query(CLOSED_TRADES_SQL);
  await database.query('VACUUM ANALYZE');
  return userId;
}

const ACCOUNTS_SQL = `
  INSERT INTO exchange_accounts
    (id, user_id, exchange, account_name, trading_type, is_active, can_withdraw, credentials_sealed, balances)
  SELECT gen_random_uuid(), $1, 'paper', 'bench ' || n, 'spot', true, false, 'none', '{}'
  FROM generate_series(1, $2::int) n`;

const PAIRS_SQL = `
  INSERT INTO trade_pairs (id, exchange, symbol, base, quote, trading_type, price_tick, amount_step, min_amount,
    min_notional, is_active, rules_updated_at)
  SELECT gen_random_uuid(), 'paper', 'C' || n || '/USDT', 'C' || n, 'USDT', 'spot', 0.01, 0.00001, 0.00001, 5, true, now()
  FROM generate_series(1, $1::int) n`;

const STRATEGIES_SQL = `
  INSERT INTO strategies (id, user_id, exchange_account_id, name, visibility, status)
  SELECT gen_random_uuid(), $1, (SELECT id FROM exchange_accounts ORDER BY account_name LIMIT 1), 'bench ' || n,
    'PRIVATE', 'ACTIVE'
  FROM generate_series(1, $2::int) n`;

/**
 * Trade n uses pair n mod PAIRS. A round is one trade of each pair. Rounds alternate between buying and selling, and a
 * sale sells what the previous round bought on the same account. Each purchase round and its sale round belong to the
 * next strategy in turn; after the last strategy, two rounds belong to no strategy.
 */
const TRADES_SQL = `
  WITH pair AS (SELECT id, symbol, row_number() OVER (ORDER BY symbol) - 1 AS place, count(*) OVER () AS n FROM trade_pairs),
  account AS (SELECT id, user_id, row_number() OVER (ORDER BY account_name) - 1 AS place, count(*) OVER () AS n
              FROM exchange_accounts),
  strategy AS (SELECT id, row_number() OVER (ORDER BY name) - 1 AS place, count(*) OVER () AS n FROM strategies),
  drawn AS (
    SELECT i, i / (SELECT max(n) FROM pair) AS round,
      date_trunc('day', now(), 'UTC') - (1 - i::float8 / $1) * $4::int * interval '1 day' AS at
    FROM generate_series($2::bigint, $3::bigint) i
  )
  INSERT INTO trades (id, user_id, exchange_account_id, trade_pair_id, symbol, trading_type, strategy_id,
    client_order_id, origin, type, side, intent, reduce_only, time_in_force, price, amount, requested_amount,
    filled_amount, reserved_asset, reserved_amount, status, look_at, created_at, updated_at)
  SELECT gen_random_uuid(), a.user_id, a.id, p.id, p.symbol, 'spot', s.id, 'bench-' || i, 'API', 'LIMIT',
    CASE WHEN round % 2 = 0 THEN 'BUY' ELSE 'SELL' END, CASE WHEN round % 2 = 0 THEN 'OPEN' ELSE 'CLOSE' END, false, 'GTC',
    1000 + (i * 7919 % 10000)::numeric / 100, 2, 2, 2, 'USDT', 0, 'FILLED', at, at, at
  FROM drawn d
  JOIN pair p ON p.place = d.i % p.n
  JOIN account a ON a.place = d.round / 2 % a.n
  LEFT JOIN strategy s ON s.place = d.round / 2 % (s.n + 1)`;

/** The fills of a trade are 100 ms apart; their fees are in quote currency. */
const FILLS_SQL = `
  INSERT INTO fills (id, trade_id, exchange_account_id, symbol, exchange_fill_id, price, amount, fee_amount,
    fee_currency, liquidity, executed_at)
  SELECT gen_random_uuid(), t.id, t.exchange_account_id, t.symbol, n::text, t.price + n, 1, round((t.price + n) / 1000, 8),
    'USDT', 'TAKER', t.created_at + n * interval '100 ms'
  FROM trades t CROSS JOIN generate_series(1, ${FILLS_A_TRADE}) n`;

/**
 * Each purchase is sold by the next trade of its pair. The last purchase of a pair may have no sale; its lots stay
 * open.
 */
const LOTS_SQL = `
  INSERT INTO lots (id, user_id, exchange_account_id, trade_pair_id, symbol, strategy_id, trade_id, side, opened_amount,
    open_amount, opened_value, open_value, opened_at, closed_at)
  SELECT f.id, t.user_id, t.exchange_account_id, t.trade_pair_id, t.symbol, t.strategy_id, t.id, 'BUY', 1,
    CASE WHEN x.executed_at IS NULL THEN 1 ELSE 0 END, f.price + f.fee_amount,
    CASE WHEN x.executed_at IS NULL THEN f.price + f.fee_amount ELSE 0 END, f.executed_at, x.executed_at
  FROM (SELECT t.*, lead(id) OVER (PARTITION BY trade_pair_id ORDER BY created_at) AS next_id FROM trades t) t
  JOIN fills f ON f.trade_id = t.id
  LEFT JOIN fills x ON x.trade_id = t.next_id AND x.exchange_fill_id = f.exchange_fill_id
  WHERE t.side = 'BUY'`;

const CLOSURES_SQL = `
  INSERT INTO lot_closures (fill_id, lot_id, exchange_account_id, trade_pair_id, trade_id, amount, entry_value, pnl,
    detaches, closed_at)
  SELECT x.id, l.id, l.exchange_account_id, l.trade_pair_id, x.trade_id, 1, l.opened_value,
    x.price - x.fee_amount - l.opened_value, false, x.executed_at
  FROM (SELECT t.*, lead(id) OVER (PARTITION BY trade_pair_id ORDER BY created_at) AS next_id FROM trades t) t
  JOIN fills f ON f.trade_id = t.id JOIN lots l ON l.id = f.id
  JOIN fills x ON x.trade_id = t.next_id AND x.exchange_fill_id = f.exchange_fill_id
  WHERE t.side = 'BUY'`;

const CLOSED_TRADES_SQL = `
  UPDATE trades t SET closed_at = r.closed_at, realized_pnl = round(r.pnl, 18)
  FROM (SELECT l.trade_id, max(l.closed_at) AS closed_at, sum(c.pnl) AS pnl
        FROM lots l JOIN lot_closures c ON c.lot_id = l.id GROUP BY l.trade_id) r
  WHERE r.trade_id = t.id`;
