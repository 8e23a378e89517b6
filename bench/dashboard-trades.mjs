/** Creates a user with many trades for `dashboard.mjs`. */
import { decodeId } from '@trading-automation/contracts';
import { openTrader } from '../tooling/e2e/accounts.mjs';

/**
 * Creates a user with an exchange account, and writes trades of the past: nine of ten are filled, the others cancelled. No order is
 * open, so the worker has nothing to compare with the exchange.
 *
 * @param {import('../tooling/demo-data/start-demo-product.mjs').DemoProduct} product
 * @param {import('pg').Client} database
 * @param {number} count
 * @returns {Promise<string>} an API key of the user
 */
export async function openUserWithTrades(product, database, count) {
  const { api, account, pair } = await openTrader(product, 'dashboard bench');
  const { key } = await api.apiKeys.create({ name: 'bench', permissions: ['ADMIN'] });
  await database.query(TRADES_SQL, [decodeId('exa', account.id), decodeId('tpr', pair.id), count]);
  await database.query('ANALYZE trades');
  return key;
}

const TRADES_SQL = `
  WITH drawn AS (
    SELECT n, account.id AS account_id, account.user_id, now() - ($3 - n) * interval '1 minute' AS placed_at,
      CASE WHEN n % 10 = 3 THEN 'CANCELLED' ELSE 'FILLED' END AS status,
      CASE WHEN n % 4 = 0 THEN 'MARKET' ELSE 'LIMIT' END AS type,
      60000 + (n * 7919 % 1000000)::numeric / 100 AS price,
      0.001 + (n * 104729 % 100000)::numeric / 100000 AS amount
    FROM generate_series(0, $3::bigint - 1) AS n JOIN exchange_accounts AS account ON account.id = $1
  )
  INSERT INTO trades (id, user_id, exchange_account_id, trade_pair_id, symbol, trading_type, client_order_id,
    venue_client_order_id, exchange_order_id, origin, type, side, reduce_only, time_in_force, price, amount,
    filled_amount, cost, fees, reserved_asset, reserved_amount, status, cancel_reason, version, look_at,
    submitted_at, acknowledged_at, filled_at, cancelled_at, created_at, updated_at)
  SELECT gen_random_uuid(), user_id, account_id, $2, 'BTC/USDT', 'spot', 'bench-' || n, 'venue-bench-' || n,
    (8000000000 + n)::text, 'API', type, CASE WHEN n % 2 = 0 THEN 'BUY' ELSE 'SELL' END, false, 'GTC',
    CASE WHEN type = 'LIMIT' THEN price END, amount,
    CASE WHEN status = 'FILLED' THEN amount ELSE 0 END,
    CASE WHEN status = 'FILLED' THEN amount * price ELSE 0 END, '[]', 'USDT', amount * price, status,
    CASE WHEN status = 'CANCELLED' THEN 'USER' END, 3, placed_at,
    placed_at + interval '15 ms', placed_at + interval '40 ms',
    CASE WHEN status = 'FILLED' THEN placed_at + interval '60 ms' END,
    CASE WHEN status = 'CANCELLED' THEN placed_at + interval '9 s' END,
    placed_at, placed_at + interval '60 ms'
  FROM drawn`;
