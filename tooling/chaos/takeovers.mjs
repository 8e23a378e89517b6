import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startKillableProduct } from '../e2e/killable-product.mjs';
import { outcomeOf } from '../launch/first-trade/client.mjs';
import { pairNamed, until } from '../launch/first-trade/scenario.mjs';
import { openParticipants } from './participants.mjs';
import { unsettled } from './read-records.mjs';
import { setWeather } from './venue.mjs';

/**
 * `node tooling/chaos/takeovers.mjs`: kills the only worker again and again while a leader trades at an exchange that keeps
 * its published limits. Prints how the copies ended and how long they took; exits with code 0 if all copies
 * ended, and none was too old or FAILED.
 *
 * `--every`: the time between two orders of the leader in ms; `--latency`: how long the exchange takes to respond, in ms;
 * `--life`: how long a worker lives, in ms; `--verbose`: prints the log of the processes, each order of the leader, and which rule skipped copies.
 */
const { values } = parseArgs({
  options: {
    every: { type: 'string', default: '3000' },
    latency: { type: 'string', default: '400' },
    life: { type: 'string', default: '12000' },
    verbose: { type: 'boolean', default: false },
  },
});
const kills = 5;
const copiers = 24;
const lifeMs = millisecondsOf('life');
const orderEveryMs = millisecondsOf('every');
const latencyMs = millisecondsOf('latency');
const settleMaxMs = 120_000;

const product = await startKillableProduct({
  hasPublishedLimits: true,
  ...(values.verbose ? { print: (/** @type {string} */ line) => console.log(line) } : {}),
  only: ['rest-api', 'trading-worker', 'paper-exchange'],
});
try {
  const participants = await openParticipants(product, { strategies: 1, copiers });
  await setWeather(product.paperExchangeUrl, { latency_ms: latencyMs });
  const storm = new AbortController();
  const [orders] = await Promise.all([
    trade(participants, storm.signal),
    killWorker().finally(() => storm.abort()),
  ]);
  const unfinished = await until(
    () => unsettled(product.databaseUrl),
    (counts) => Object.values(counts).every((count) => count === 0),
    settleMaxMs,
  ).then(() => undefined, String);
  if (unfinished !== undefined) console.error(unfinished);
  process.exitCode = (await report(orders)) && unfinished === undefined ? 0 : 1;
} finally {
  await product.stop();
}

/** @param {'every' | 'latency' | 'life'} name */
function millisecondsOf(name) {
  const value = Number(values[name]);
  if (values[name].trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  console.error(`--${name} must be a number of milliseconds, at least 0; got ${values[name]}.`);
  process.exit(2);
}

async function killWorker() {
  const name = /** @type {string} */ (product.workerNames[0]);
  for (let kill = 0; kill < kills; kill++) {
    await wait(lifeMs);
    await product.kill(name);
    await product.untilReady(name);
  }
}

/**
 * Places orders until the signal is aborted. Returns how many were created.
 *
 * @param {import('./participants.mjs').Participants} participants
 * @param {AbortSignal} signal
 */
async function trade({ leaders, pairs }, signal) {
  const { api, account, strategyId } = /** @type {import('./participants.mjs').Leader} */ (leaders[0]);
  let created = 0;
  for (let turn = 0; !signal.aborted; turn++) {
    const isBuy = turn % 2 === 0;
    const order = api.trades.create({
      exchange_account_id: account.id,
      trade_pair_id: pairNamed(turn % 4 < 2 ? 'BTC/USDT' : 'ETH/USDT', pairs).id,
      strategy_id: strategyId,
      side: isBuy ? 'BUY' : 'SELL',
      type: 'MARKET',
      // What is bought less the exchange's fee.
      amount: isBuy ? '0.1' : '0.0999',
    });
    if ((await outcomeOf(order)).status === 201) created++;
    await wait(orderEveryMs);
  }
  return created;
}

/**
 * Prints the outcomes of the copies. Returns whether copies were made, and none was too old or FAILED.
 *
 * @param {number} orders
 */
async function report(orders) {
  const database = new pg.Client({ connectionString: product.databaseUrl });
  await database.connect();
  try {
    if (values.verbose) await printDetails(database);
    const { rows } = await database.query(
      `SELECT outcome, coalesce(code, '') AS code, count(*)::int AS copies,
       round(percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM settled_at - signal_at))::numeric, 1)::float8 AS "medianSeconds",
       round(max(extract(epoch FROM settled_at - signal_at)), 1)::float8 AS "maxSeconds"
     FROM decisions GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    console.log(`${orders} orders of the leader, ${kills} kills of the only worker`);
    console.table(rows);
    const isLost = (/** @type {{ outcome: string, code: string }} */ { outcome, code }) =>
      outcome === 'FAILED' || code === 'STALE_SIGNAL';
    return rows.some(({ outcome }) => outcome === 'COPIED') && !rows.some(isLost);
  } finally {
    await database.end();
  }
}

/**
 * Prints each order of the leader, and which copies were skipped by which rule.
 *
 * @param {pg.Client} database
 */
async function printDetails(database) {
  const { rows: trades } = await database.query(
    `SELECT t.created_at::time(2)::text AS created, t.submitted_at::time(2)::text AS sent, t.acknowledged_at::time(2)::text AS known,
       s.signal_at::time(2)::text AS signal, x.first::time(2)::text AS decided, t.status, t.sub_status, t.side, t.leader_equity::float8
     FROM trades t LEFT JOIN signals s ON s.source_trade_id = t.id
       LEFT JOIN LATERAL (SELECT min(d.created_at) AS first FROM decisions d WHERE d.signal_id = s.id) x ON true WHERE t.origin <> 'COPIER' ORDER BY t.created_at`,
  );
  console.table(trades);
  const { rows: skipped } = await database.query(
    `SELECT signal_at::time(2)::text AS signal, code, inputs->>'rule' AS rule, count(*)::int AS copies, max(created_at)::time(2)::text AS decided
     FROM decisions WHERE outcome = 'SKIPPED' GROUP BY 1, 2, 3 ORDER BY 1`,
  );
  console.table(skipped);
}
