/**
 * The baseline of `graphql.mjs`: Mercurius with JIT and its own loaders, and pg. It runs the statements that the API
 * runs. It has no credentials, checks or limits, and receives the user's id.
 */
import fastify from 'fastify';
import mercurius from 'mercurius';
import pg from 'pg';

const LIST = `SELECT t.id, exchange_account_id, trade_pair_id, symbol, trading_type, strategy_id, copier_id, source_trade_id,
    client_order_id, exchange_order_id, origin, type, side, reduce_only, time_in_force, trim_scale(price)::text AS price,
    stop_price, trim_scale(amount)::text AS amount, filled_amount, cost, fees, realized_pnl, status, sub_status,
    failure_code, failure_message, cancel_reason, version, submitted_at, filled_at, cancelled_at, closed_at, created_at,
    updated_at
  FROM trades t WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT 21`;
const ACCOUNTS = `SELECT id, account_name, exchange FROM exchange_accounts WHERE id = ANY ($1) AND user_id = $2
  AND deleted_at IS NULL`;

const schema = `
  type Query { trades(first: Int!): TradeConnection }
  type TradeConnection { nodes: [Trade!]! }
  type Trade {
    id: ID! symbol: String! type: String! side: String! price: String amount: String! status: String!
    exchangeAccount: ExchangeAccount
  }
  type ExchangeAccount { accountName: String! exchangeName: String! }
`;

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10, keepAlive: true });
const server = fastify({ keepAliveTimeout: 65_000, maxRequestsPerSocket: 1_000 });

server.register(mercurius, {
  schema,
  jit: 1,
  context: ({ headers }) => ({ user: headers['x-user'] }),
  resolvers: {
    Query: {
      trades: async (_, { first }, { user }) => {
        const { rows } = await pool.query({ name: 'list', text: LIST, values: [user] });
        return { nodes: rows.slice(0, first) };
      },
    },
  },
  loaders: {
    Trade: {
      exchangeAccount: async (queries, { user }) => {
        const ids = [...new Set(queries.map(({ obj }) => obj.exchange_account_id))];
        const { rows } = await pool.query({ name: 'accounts', text: ACCOUNTS, values: [ids, user] });
        const byId = new Map(
          rows.map(({ id, account_name, exchange }) => [
            id,
            { accountName: account_name, exchangeName: exchange },
          ]),
        );
        return queries.map(({ obj }) => byId.get(obj.exchange_account_id) ?? null);
      },
    },
  },
});

console.log(JSON.stringify({ msg: 'ready', url: await server.listen({ host: '127.0.0.1', port: 0 }) }));

// Ends with the parent process, even if that is killed.
process.once('disconnect', () => process.exit());
