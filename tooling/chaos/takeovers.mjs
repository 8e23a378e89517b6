import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { startKillableProduct } from '../e2e/killable-product.mjs';
import { outcomeOf } from '../launch/first-trade/client.mjs';
import { pairNamed, until } from '../launch/first-trade/scenario.mjs';
import { openParticipants } from './participants.mjs';
import { unsettled } from './read-records.mjs';
import { setWeather } from './venue.mjs';

/**
 * `node tooling/chaos/takeovers.mjs`: kills the only worker again and again while a leader trades at an exchange that keeps
 * its published limits and responds after 0.4 s. Prints how the copies ended and how long they took; exits with code 0 if no
 * copy was too old or FAILED.
 */
const kills = 5;
const lifeMs = 12_000;
const copiers = 24;
const orderEveryMs = 3_000;
const latencyMs = 400;
const settleMaxMs = 120_000;

const product = await startKillableProduct({
  hasPublishedLimits: true,
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
  await until(
    () => unsettled(product.databaseUrl),
    (unfinished) => Object.values(unfinished).every((count) => count === 0),
    settleMaxMs,
  );
  process.exitCode = (await report(orders)) ? 0 : 1;
} finally {
  await product.stop();
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
  while (!signal.aborted) {
    const order = api.trades.create({
      exchange_account_id: account.id,
      trade_pair_id: pairNamed('BTC/USDT', pairs).id,
      strategy_id: strategyId,
      side: 'BUY',
      type: 'MARKET',
      amount: '0.01',
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
  const { rows } = await database.query(
    `SELECT outcome, coalesce(code, '') AS code, count(*)::int AS copies,
       round(percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM settled_at - signal_at))::numeric, 1)::float8 AS "medianSeconds",
       round(max(extract(epoch FROM settled_at - signal_at)), 1)::float8 AS "maxSeconds"
     FROM decisions GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  await database.end();
  console.log(`${orders} orders of the leader, ${kills} kills of the only worker`);
  console.table(rows);
  const isLost = (/** @type {{ outcome: string, code: string }} */ { outcome, code }) =>
    outcome === 'FAILED' || code === 'STALE_SIGNAL';
  return rows.some(({ outcome }) => outcome === 'COPIED') && !rows.some(isLost);
}
