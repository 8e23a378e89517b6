/**
 * Creates the data that `rest.mjs` reads: users with API keys, through the public API, and their trades, directly in the
 * database.
 */
import { createHash } from 'node:crypto';
import { publicKeyOf } from '@trading-automation/signed-request';
import { openAccount } from '../tooling/launch/first-trade/client.mjs';

/**
 * @typedef {{ userId: string, privateKey: Uint8Array, apiKey: string }} User `userId`: the UUID in the database
 *
 * @param {{ restUrl: string, database: import('pg').Client, count: number }} options
 * @returns {Promise<User[]>}
 */
export async function openUsers({ restUrl, database, count }) {
  const users = [];
  for (let i = 0; i < count; i++) {
    const privateKey = new Uint8Array(createHash('sha256').update(`bench user ${i}`).digest());
    const { api } = await openAccount({ restUrl, privateKey, label: 'bench' });
    const { key } = await api.apiKeys.create({ name: 'bench' });
    const { rows } = await database.query('SELECT user_id FROM public_keys WHERE pubkey = $1', [
      publicKeyOf(privateKey),
    ]);
    users.push({ userId: rows[0].user_id, privateKey, apiKey: key });
  }
  return users;
}

/**
 * Writes trades of all users in turn. Their times are one second apart, and the last one is now. Most trades are filled
 * (with one or two fills), some are cancelled, and some are open.
 *
 * @param {{ database: import('pg').Client, users: readonly User[], count: number }} options
 */
export async function writeTrades({ database, users, count }) {
  await database.query(
    `INSERT INTO exchange_accounts
       (id, user_id, exchange, account_name, trading_type, is_active, can_withdraw, credentials_sealed, balances,
        balances_taken_at)
     SELECT gen_random_uuid(), user_id, 'paper', 'bench', 'spot', true, false, 'none',
       '{"USDT": {"free": "1000000000", "locked": "0"}}', now()
     FROM unnest($1::uuid[]) AS user_id`,
    [users.map(({ userId }) => userId)],
  );
  await database.query(
    `INSERT INTO trade_pairs (id, exchange, symbol, base, quote, trading_type, price_tick, amount_step, min_amount,
       min_notional, is_active, rules_updated_at)
     VALUES (gen_random_uuid(), 'paper', 'BTC/USDT', 'BTC', 'USDT', 'spot', 0.01, 0.00001, 0.00001, 5, true, now())`,
  );
  await database.query(TRADES_SQL, [count]);
  await database.query(FILLS_SQL);
  await acknowledgeAll(database);
  await database.query('VACUUM ANALYZE');
}

/** Updates the rows as the trading worker would: every order is acknowledged, and the balances include it. */
export async function acknowledgeAll(database) {
  await database.query('UPDATE trades SET acknowledged_at = clock_timestamp() WHERE acknowledged_at IS NULL');
  await database.query('UPDATE exchange_accounts SET balances_taken_at = clock_timestamp()');
}

/** @returns {Promise<{ trades: number, events: number }>} */
export async function countTradesAndEvents(database) {
  const { rows } = await database.query(
    'SELECT (SELECT count(*) FROM trades)::int AS trades, (SELECT count(*) FROM outbox_events)::int AS events',
  );
  return rows[0];
}

const TRADES_SQL = `
  WITH account AS (
    SELECT id, user_id, row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS accounts
    FROM exchange_accounts
  ), drawn AS (
    SELECT n, account.id AS account_id, account.user_id, n / accounts AS nth,
      now() - ($1 - n) * interval '1 second' AS placed_at,
      CASE WHEN n / accounts % 10 = 3 THEN 'CANCELLED' WHEN n / accounts % 10 = 7 THEN 'PENDING' ELSE 'FILLED' END AS status,
      CASE WHEN n / accounts % 4 = 0 THEN 'MARKET' ELSE 'LIMIT' END AS type,
      60000 + (n * 7919 % 1000000)::numeric / 100 AS price,
      0.001 + (n * 104729 % 100000)::numeric / 100000 AS amount
    FROM generate_series(0, $1::bigint - 1) AS n JOIN account ON account.place = n % accounts
  )
  INSERT INTO trades (id, user_id, exchange_account_id, trade_pair_id, symbol, trading_type, client_order_id,
    venue_client_order_id, exchange_order_id, origin, type, side, reduce_only, time_in_force, price, amount,
    filled_amount, cost, fees, reserved_asset, reserved_amount, status, sub_status, cancel_reason, version, look_at,
    submitted_at, acknowledged_at, filled_at, cancelled_at, created_at, updated_at)
  SELECT gen_random_uuid(), user_id, account_id, pair.id, 'BTC/USDT', 'spot', 'bench-' || n, 'venue-' || n,
    (4000000 + n)::text, 'API', type, CASE WHEN nth % 2 = 0 THEN 'BUY' ELSE 'SELL' END, false, 'GTC',
    CASE WHEN type = 'LIMIT' THEN price END, amount,
    CASE WHEN status = 'FILLED' THEN amount ELSE 0 END,
    CASE WHEN status = 'FILLED' THEN amount * price ELSE 0 END,
    CASE WHEN status = 'FILLED'
      THEN jsonb_build_array(jsonb_build_object('amount', trim_scale(amount * price / 1000)::text, 'currency', 'USDT'))
      ELSE '[]' END,
    'USDT', amount * price, status, CASE WHEN status = 'PENDING' THEN 'ACCEPTED' END,
    CASE WHEN status = 'CANCELLED' THEN 'USER' END, 3, placed_at,
    placed_at + interval '15 ms', placed_at + interval '40 ms',
    CASE WHEN status = 'FILLED' THEN placed_at + interval '60 ms' END,
    CASE WHEN status = 'CANCELLED' THEN placed_at + interval '9 s' END,
    placed_at, placed_at + interval '60 ms'
  FROM drawn CROSS JOIN (SELECT id FROM trade_pairs LIMIT 1) AS pair`;

const FILLS_SQL = `
  INSERT INTO fills (id, trade_id, exchange_account_id, symbol, exchange_fill_id, price, amount, fee_amount,
    fee_currency, liquidity, executed_at)
  SELECT gen_random_uuid(), t.id, t.exchange_account_id, t.symbol, t.exchange_order_id || '-' || part,
    t.cost / t.filled_amount, t.filled_amount / parts, t.cost / 1000 / parts, 'USDT', 'TAKER',
    t.filled_at - (parts - part) * interval '1 ms'
  FROM (SELECT *, 1 + exchange_order_id::bigint % 2 AS parts FROM trades WHERE status = 'FILLED') AS t
    CROSS JOIN LATERAL generate_series(1, parts) AS part`;
