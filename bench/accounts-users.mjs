/** The users of `accounts.mjs`: one who calls the product all the time, a leader, and copiers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeId } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import { generatePrivateKey } from '@trading-automation/signed-request';
import { createClient, openAccount, outcomeOf } from '../tooling/launch/first-trade/client.mjs';
import { pairsOf, until } from '../tooling/launch/first-trade/scenario.mjs';
import { addAccounts } from './accounts-environment.mjs';
import { openVenueAccount } from './copy-venue.mjs';

const TRADE_EVERY_MS = 2_500;
/** The API allows six tests a minute. */
const TEST_EVERY_MS = 10_000;
const DEADLINE_MS = 120_000;
/** The amount of BTC that a copier buys. */
const COPY_AMOUNT = '0.0004';

async function openUser({ restUrl }, name) {
  const { api, identity } = await openAccount({ restUrl, privateKey: generatePrivateKey() });
  const { key } = await api.apiKeys.create({ name, permissions: ['READ', 'TRADE'] });
  // Without retries, so that a refused call shows.
  return { api: createClient({ restUrl, apiKey: key, maxRetries: 0 }), identity };
}

async function linkAccount({ paperExchangeUrl }, api, name) {
  const credentials = await openVenueAccount(paperExchangeUrl);
  const created = await api.exchanges.create({
    exchange: 'paper',
    account_name: name,
    trading_type: 'spot',
    credentials,
  });
  await until(
    () => api.exchanges.get(created.id),
    ({ last_sync_at }) => last_sync_at !== null,
    DEADLINE_MS,
  );
  return { id: created.id, credentials };
}

async function bitcoin(api) {
  const pairs = await until(
    () => pairsOf(api),
    (known) => known.some(({ symbol, last_price }) => symbol === 'BTC/USDT' && last_price !== null),
    DEADLINE_MS,
  );
  return pairs.find(({ symbol }) => symbol === 'BTC/USDT');
}

export async function createLeader(product) {
  const { api } = await openUser(product, 'leader');
  const pair = await bitcoin(api);
  const account = await linkAccount(product, api, 'leader');
  const { id } = await api.strategies.create({
    name: 'bench',
    exchange_account_id: account.id,
    visibility: 'PUBLIC',
  });
  return { api, account, pair, strategyId: id };
}

/** Starts a user who tests credentials, and meanwhile places and cancels orders. */
export async function startUser(product) {
  const { api } = await openUser(product, 'user');
  const pair = await bitcoin(api);
  const { id, credentials } = await linkAccount(product, api, 'user');
  const order = {
    exchange_account_id: id,
    trade_pair_id: pair.id,
    type: 'LIMIT',
    side: 'BUY',
    price: '20000',
    amount: '0.001',
  };
  let calls = [];
  let refused = [];
  let isStopped = false;
  const timed = async (name, call) => {
    const startedAt = performance.now();
    const { status, code, data } = await outcomeOf(call).catch(() => ({ status: 503, code: 'unreachable' }));
    calls.push({ name, ms: performance.now() - startedAt });
    if (status >= 400) refused.push(`${name} ${status} ${code}`);
    return data;
  };
  const test = async () => {
    while (!isStopped) {
      await timed('test', api.exchanges.test({ exchange: 'paper', trading_type: 'spot', credentials }));
      await sleep(TEST_EVERY_MS);
    }
  };
  const tradeAndCancel = async () => {
    while (!isStopped) {
      const trade = await timed('create', api.trades.create(order));
      await sleep(500);
      if (trade !== undefined) await timed('cancel', api.trades.cancel(trade.id));
      await sleep(TRADE_EVERY_MS);
    }
  };
  const running = Promise.all([test(), tradeAndCancel()]);
  return {
    reset() {
      calls = [];
      refused = [];
    },
    results: () => ({ calls, refused }),
    async stop() {
      isStopped = true;
      await running;
    },
  };
}

/** Adds accounts with a running copier each. The balances are those that the accounts have at the exchange. */
export async function addCopiers(product, leader, count) {
  const { database } = product;
  const accounts = await addAccounts(product, count);
  await database.query(
    `UPDATE exchange_accounts SET balances = $2, balances_taken_at = clock_timestamp(), venue_balances = $3,
       venue_balances_at = date_trunc('milliseconds', clock_timestamp()) WHERE id = ANY ($1)`,
    [accounts, JSON.stringify(HELD), JSON.stringify({})],
  );
  await database.query(
    `INSERT INTO copiers (id, user_id, strategy_id, exchange_account_id, name, status, sizing_mode, sizing_value,
       max_signal_age_ms, on_breach, below_minimum, copy_existing, started_at, followed_sequence)
     SELECT c.id, a.user_id, $2, a.id, 'bench', 'ACTIVE', 'FIXED_AMOUNT', $3, 60000, 'CLOSE_ONLY', 'SKIP', false,
       clock_timestamp(), coalesce((SELECT last_sequence FROM strategy_sequences WHERE strategy_id = $2), 0)
     FROM jsonb_to_recordset($1) AS c (id uuid, account uuid) JOIN exchange_accounts a ON a.id = c.account`,
    [
      JSON.stringify(accounts.map((account) => ({ id: newUuid(), account }))),
      decodeId('str', leader.strategyId),
      COPY_AMOUNT,
    ],
  );
}

const HELD = { USDT: { free: '1000000', locked: '0' }, BTC: { free: '1', locked: '0' } };

/** Places the leader's order and waits until each copier's decision on it is settled. */
export async function waitForCopies({ database }, { api, account, pair, strategyId }) {
  const startedAt = performance.now();
  const trade = await api.trades.create({
    exchange_account_id: account.id,
    trade_pair_id: pair.id,
    strategy_id: strategyId,
    type: 'MARKET',
    side: 'BUY',
    amount: '0.01',
  });
  const tradeId = decodeId('trd', trade.id);
  const read = async () => {
    const { rows } = await database.query(
      `SELECT d.outcome, d.code, d.settled_at IS NOT NULL AS "isSettled", count(*)::int AS count
       FROM signals s JOIN decisions d ON d.signal_id = s.id WHERE s.source_trade_id = $1 GROUP BY 1, 2, 3`,
      [tradeId],
    );
    return rows;
  };
  const copiers = await database.query("SELECT count(*)::int AS count FROM copiers WHERE status = 'ACTIVE'");
  const rows = await until(
    async () => {
      await sleep(200);
      return read();
    },
    (found) =>
      found.every(({ isSettled }) => isSettled) &&
      found.reduce((sum, { count }) => sum + count, 0) >= copiers.rows[0].count,
    DEADLINE_MS,
  );
  const outcomes = Object.fromEntries(
    rows.map(({ outcome, code, count }) => [[outcome, code].filter(Boolean).join(' '), count]),
  );
  return { outcomes, seconds: (performance.now() - startedAt) / 1_000 };
}
