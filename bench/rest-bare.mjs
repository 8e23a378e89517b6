/**
 * The bare peer of `rest.mjs`: Fastify and pg, as shortly as their documentation allows. It answers with the rows
 * of a user's newest trades as they come from the same statement: no credentials, no checks, no answer form.
 * Pool, keep-alive and requests per connection are those of the API.
 */
import fastify from 'fastify';
import pg from 'pg';

const NEWEST_TRADES = {
  name: 'newest_trades',
  text: 'SELECT t.* FROM trades t WHERE t.user_id = $1 ORDER BY t.created_at DESC, t.id DESC LIMIT 51',
};

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10, keepAlive: true });
const server = fastify({ keepAliveTimeout: 65_000, maxRequestsPerSocket: 1_000 });

server.get('/v1/trades', async ({ query }) => {
  const { rows } = await pool.query({ ...NEWEST_TRADES, values: [query.user] });
  return { data: rows.slice(0, Number(query.limit)) };
});

const url = await server.listen({ host: '127.0.0.1', port: 0 });
console.log(JSON.stringify({ msg: 'ready', url }));

// Its parent's end is its own, however that comes.
process.once('disconnect', () => process.exit());
