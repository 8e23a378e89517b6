/**
 * The baseline of `rest.mjs`: Fastify and pg, used as directly as their documentation allows. It returns the rows unchanged,
 * without credentials, checks, limits or a response format. Pool, keep-alive and requests per connection equal the API's.
 * It creates a trade like the API: it locks the account and writes trade and event in one transaction.
 */
import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import pg from 'pg';

/** The columns that the API returns for a trade. */
const COLUMNS = `t.id, exchange_account_id, trade_pair_id, symbol, trading_type, strategy_id, copier_id, source_trade_id,
  client_order_id, exchange_order_id, origin, type, side, reduce_only, time_in_force, price, stop_price, amount,
  filled_amount, cost, fees, realized_pnl, status, sub_status, failure_code, failure_message, cancel_reason, version,
  submitted_at, filled_at, cancelled_at, closed_at, created_at, updated_at`;
const LIST = `SELECT ${COLUMNS} FROM trades t WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT 51`;
const GET = `SELECT ${COLUMNS}, (SELECT json_agg(f ORDER BY f.executed_at, f.id) FROM fills f WHERE f.trade_id = t.id) AS fills
  FROM trades t WHERE t.id = $1 AND t.user_id = $2`;
const LOCK = 'SELECT id FROM exchange_accounts WHERE id = $1 AND user_id = $2 FOR NO KEY UPDATE';
const INSERT = `INSERT INTO trades (id, user_id, exchange_account_id, trade_pair_id, symbol, trading_type,
    client_order_id, origin, type, side, reduce_only, time_in_force, price, amount, reserved_asset, reserved_amount,
    status, look_at)
  VALUES ($1::uuid, $2, $3, $4, 'BTC/USDT', 'spot', $1::uuid::text, 'API', $5, $6, false, 'GTC', $7::numeric,
    $8::numeric, 'USDT', $7 * $8, 'PENDING', clock_timestamp() + interval '2 s') RETURNING *`;
const INSERT_EVENT = `INSERT INTO outbox_events (id, user_id, type, payload) VALUES ($1, $2, 'trade.created', $3)`;

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10, keepAlive: true });
const server = fastify({ keepAliveTimeout: 65_000, maxRequestsPerSocket: 1_000 });

server.get('/v1/trades', async ({ query: { user, limit } }) => {
  const { rows } = await pool.query({ name: 'list', text: LIST, values: [user] });
  return { data: rows.slice(0, Number(limit)) };
});

server.get('/v1/trades/:id', async ({ params, query }) => {
  const { rows } = await pool.query({ name: 'get', text: GET, values: [params.id, query.user] });
  return { data: rows[0] };
});

server.post('/v1/trades', async ({ query: { user }, body }, reply) => {
  const client = await pool.connect();
  try {
    const { account, pair, type, side, price, amount } = body;
    await client.query('BEGIN');
    await client.query({ name: 'lock', text: LOCK, values: [account, user] });
    const values = [randomUUID(), user, account, pair, type, side, price, amount];
    const { rows } = await client.query({ name: 'insert', text: INSERT, values });
    const payload = Buffer.from(JSON.stringify(rows[0]));
    await client.query({ name: 'tell', text: INSERT_EVENT, values: [randomUUID(), user, payload] });
    await client.query('COMMIT');
    return reply.code(201).send({ data: rows[0] });
  } finally {
    client.release();
  }
});

console.log(JSON.stringify({ msg: 'ready', url: await server.listen({ host: '127.0.0.1', port: 0 }) }));

// Ends with the parent process, even if that is killed.
process.once('disconnect', () => process.exit());
