/**
 * Listing, reading and placing trades by the REST API, beside a bare handler of the same rows (`rest-baseline.mjs`).
 *
 *   pnpm turbo run build && node bench/rest.mjs [list] [get] [create]
 *
 * 1. API and peer are processes of their own on one throw-away Postgres: 200,000 trades of 100 users. Both have a
 *    pool of 10 connections; each round opens 32 connections that are kept alive and asks 800 times.
 * 2. `API key` and `signed` are the whole product: credentials, rate limits, checks, the answer in its published
 *    form. The peer knows none of these and answers with the rows as they are. That all three show the same trades is
 *    looked at before, that every answer is a success during the rounds, and after them that every trade placed is
 *    there with its event.
 * 3. Requests are signed before the clock starts. All processes share the cores of this machine, the one that asks too.
 * 4. Rounds are interleaved, so that a machine that slows down slows all alike. Each figure is the median of the
 *    rounds (p99 too: that of each round's p99), each ratio the median of the ratios within a round.
 */
import { cpus } from 'node:os';
import { countMade, openUsers, settle, writeTrades } from './rest-data.mjs';
import { close, startEnvironment } from './rest-environment.mjs';
import { CONNECTIONS, quantile, REQUESTS, runRound } from './rest-load.mjs';
import { assertSameTrades, contestants, OPERATIONS, requestOf } from './rest-operations.mjs';
import { runAndClose } from './run.mjs';

const TRADES = 200_000;
const USERS = 100;
const ROUNDS = 15;
/** The least that listing shall do of what it is compared with. */
const LIST_OF_BARE_MIN = 0.7;
const SIGNED_OF_API_KEY_MIN = 0.9;

/** @returns {Promise<Map<string, import('./rest-load.mjs').Round[]>>} the rounds of each contestant */
async function compare(operation, { database, rows, users }) {
  const rounds = new Map(rows.map(({ name }) => [name, []]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const row of rows) {
      const result = await runRound(row.url, (connection, nth) =>
        requestOf(operation, row, users[(connection * 31 + nth) % users.length], connection + nth),
      );
      // The first round warms up.
      if (round >= 0) rounds.get(row.name).push(result);
      if (operation.name === 'create') await settle(database);
    }
  }
  return rounds;
}

async function compareCreating(operation, parts) {
  const before = await countMade(parts.database);
  const rounds = await compare(operation, parts);
  const after = await countMade(parts.database);
  const made = (ROUNDS + 1) * parts.rows.length * REQUESTS;
  if (after.trades - before.trades !== made || after.events - before.events !== made)
    throw new Error(`${made} trades were placed, and others are there`);
  return rounds;
}

const median = (values) => quantile(values, 0.5);

function ratioOf(rounds, name, peer) {
  const rates = (of) => rounds.get(of).map(({ ratePerSecond }) => ratePerSecond);
  const peers = rates(peer);
  return median(rates(name).map((rate, round) => rate / peers[round]));
}

function report({ name, title }, rounds) {
  console.log(`\n${title}`);
  console.log('              requests/s   p50 ms   p99 ms   of bare');
  for (const [row, results] of rounds) {
    const figure = (pick, digits) =>
      median(results.map(pick)).toLocaleString('en-US', {
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      });
    const rate = figure(({ ratePerSecond }) => ratePerSecond, 0).padStart(10);
    const p50 = figure(({ p50Ms }) => p50Ms, 1).padStart(6);
    const p99 = figure(({ p99Ms }) => p99Ms, 1).padStart(6);
    console.log(`${row.padEnd(12)}  ${rate}   ${p50}   ${p99}   ${ratioOf(rounds, row, 'bare').toFixed(3)}`);
  }
  const verdict = (ratio, min) =>
    name === 'list'
      ? `${ratio.toFixed(3)} (target ${min}: ${ratio >= min ? 'met' : 'missed'})`
      : ratio.toFixed(3);
  console.log(`API key of bare: ${verdict(ratioOf(rounds, 'API key', 'bare'), LIST_OF_BARE_MIN)}`);
  console.log(`signed of API key: ${verdict(ratioOf(rounds, 'signed', 'API key'), SIGNED_OF_API_KEY_MIN)}`);
}

async function measure(names) {
  const beganAt = performance.now();
  const { database, apiUrl, bareUrl } = await startEnvironment();
  const users = await openUsers({ restUrl: apiUrl, database, count: USERS });
  await writeTrades({ database, users, count: TRADES });
  const rows = contestants({ apiUrl, bareUrl, users });
  await assertSameTrades(rows, users);
  const [cpu] = cpus();
  console.log(
    `${cpu?.model.trim()} x ${cpus().length}, ${process.platform} ${process.arch}, Node ${process.version}`,
  );
  console.log(
    `${TRADES.toLocaleString('en-US')} trades, ${USERS} users; median of ${ROUNDS} interleaved rounds of ${REQUESTS} requests, ${CONNECTIONS} connections`,
  );
  for (const operation of OPERATIONS.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const how = operation.name === 'create' ? compareCreating : compare;
    report(operation, await how(operation, { database, rows, users }));
  }
  console.log(`\n${Math.round((performance.now() - beganAt) / 1000)} s in all`);
}

await runAndClose(async () => {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !OPERATIONS.some((operation) => operation.name === name));
  if (unknown.length > 0)
    throw new Error(`there is no ${unknown.join(', ')}; list, get and create are measured`);
  await measure(names);
}, close);
