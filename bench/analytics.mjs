/**
 * Compares the analytics of a user with a million fills with plain SQL sums over the same fills.
 *
 *   pnpm turbo run build && node bench/analytics.mjs [fills]
 *
 * 1. A temporary Postgres contains one user with two accounts, ten pairs, three strategies and one year of trades. Each
 *    trade has two fills. Each purchase is sold by the next trade of its pair.
 * 2. The product runs everything behind `GET /v1/trades/analytics`, through its service. The baseline is the minimum that
 *    any implementation must read: a `SELECT` of count, volume and fees over the fills.
 *    The run first checks that volume and fees of both are equal, and that net_pnl is the sum over the lots.
 * 3. `stored` reads up-to-date rollups of all days, as the trading worker maintains them. `stored, except one day`
 *    computes the newest day from the fills, as right after a fill. The range of `range within days` begins and ends
 *    within a day.
 * 4. Runs are interleaved, so that a slow phase of the machine affects all of them equally. Each figure is the median
 *    of the runs.
 */
import { randomUUID } from 'node:crypto';
import { cpus } from 'node:os';
import { openPlatform } from '@trading-automation/core';
import { AnalyticsService, DailyRollups } from '@trading-automation/core/analytics';
import pg from 'pg';
import { migrateDatabase } from '../tooling/launch/service-processes.mjs';
import { startTestServers } from '../tooling/launch/test-servers.mjs';
import { ACCOUNTS, DAYS, PAIRS, STRATEGIES, writeTrades } from './analytics-data.mjs';
import { quantile } from './rest-load.mjs';
import { runAndClose } from './run.mjs';

const ROUNDS = 15;
const TARGET_MS = 300;
const DAY_MS = 86_400_000;

/** Functions that release what was opened; `close` calls the newest first. */
const cleanup = [];

const BARE_SQL = `
  SELECT count(*)::int AS fill_count, trim_scale(sum(f.price * f.amount))::text AS volume,
    trim_scale(sum(f.fee_amount))::text AS fees
  FROM fills f WHERE f.exchange_account_id = ANY (ARRAY (SELECT id FROM exchange_accounts WHERE user_id = $1))`;

async function start() {
  const servers = await startTestServers({ postgres: true });
  cleanup.push(servers.stop);
  await migrateDatabase(servers.databaseUrl);
  const database = new pg.Client({ connectionString: servers.databaseUrl });
  await database.connect();
  cleanup.push(() => database.end());
  const platform = await openPlatform({
    world: 'test',
    databaseUrl: servers.databaseUrl,
    applicationName: 'bench',
    onListenerError: () => undefined,
  });
  cleanup.push(() => platform.close());
  return { database, platform };
}

/** Throws if product and baseline return different results, because then the figures would mean nothing. */
async function assertSameResults({ database, userId, record }) {
  const { rows } = await database.query(BARE_SQL, [userId]);
  const [bare] = rows;
  const lots = await database.query('SELECT trim_scale(sum(pnl))::text AS pnl FROM lot_closures');
  if (record.volume !== bare.volume || record.fees !== bare.fees || record.net_pnl !== lots.rows[0].pnl)
    throw new Error(
      `analytics differ from the sums over fills and lots: ${record.volume} ${record.fees} ${record.net_pnl}`,
    );
}

async function timed(work) {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const median = (values) => quantile(values, 0.5);

async function measure(fills) {
  const { database, platform } = await start();
  const service = new AnalyticsService(platform);
  const rollups = new DailyRollups(platform);
  const userId = await writeTrades({ database, fills });
  const actor = { userId, credential: { kind: 'api_key', id: randomUUID(), permissions: ['READ'] } };
  const read = (range = {}) => service.get(actor, { interval: 'day', ...range });
  const refreshMs = await timed(() => rollups.refresh());
  await database.query('VACUUM ANALYZE');
  await assertSameResults({ database, userId, record: await read() });
  const noon = (daysAgo) =>
    new Date(Math.floor(Date.now() / DAY_MS - daysAgo) * DAY_MS + DAY_MS / 2).toISOString();
  const markNewestDay = `INSERT INTO result_marks (user_id, day)
    SELECT $1, max(executed_at AT TIME ZONE 'UTC')::date FROM fills`;
  const contestants = {
    stored: () => read(),
    'stored, except one day': async () => read(),
    'range within days': () => read({ from: noon(DAYS - 2), to: noon(2) }),
    'bare sums': () => database.query(BARE_SQL, [userId]),
  };
  const times = new Map(Object.keys(contestants).map((name) => [name, []]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, work] of Object.entries(contestants)) {
      if (name === 'stored, except one day') await database.query(markNewestDay, [userId]);
      const ms = await timed(work);
      if (name === 'stored, except one day') await rollups.refresh();
      // The first round warms up.
      if (round >= 0) times.get(name).push(ms);
    }
  }
  report(times, { fills, refreshMs });
}

function report(times, { fills, refreshMs }) {
  const [cpu] = cpus();
  console.log(
    `${cpu?.model.trim()} x ${cpus().length}, ${process.platform} ${process.arch}, Node ${process.version}`,
  );
  console.log(
    `${fills.toLocaleString('en-US')} fills of ${DAYS} days, ${ACCOUNTS} accounts, ${PAIRS} pairs, ${STRATEGIES} strategies; median of ${ROUNDS} interleaved runs`,
  );
  const bare = times.get('bare sums');
  console.log('\n                        p50 ms   of bare');
  for (const [name, each] of times) {
    const ratio = median(each.map((ms, round) => ms / bare[round]));
    console.log(
      `${name.padEnd(22)}  ${median(each).toFixed(1).padStart(6)}   ${ratio.toFixed(3).padStart(7)}`,
    );
  }
  const p50 = median(times.get('stored'));
  console.log(`\nstored: ${p50.toFixed(1)} ms (target ${TARGET_MS}: ${p50 <= TARGET_MS ? 'met' : 'missed'})`);
  console.log(`computing the rollups of all days once: ${(refreshMs / 1000).toFixed(1)} s`);
}

async function close() {
  while (cleanup.length > 0) await cleanup.pop()();
}

await runAndClose(() => measure(Number(process.argv[2] ?? 1_000_000)), close);
