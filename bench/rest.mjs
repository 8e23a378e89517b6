/**
 * Measures listing, reading and placing trades through the REST API. The baseline handles the same rows (`rest-baseline.mjs`).
 *
 *   pnpm turbo run build && node bench/rest.mjs [list] [get] [create]
 *
 * 1. API and baseline are separate processes with one temporary Postgres, which contains 200,000 trades of 100 users. Both
 *    have a pool of 10 connections; each round opens 32 kept-alive connections and sends 800 requests.
 * 2. `API key` and `signed` measure the whole product: credentials, rate limits, checks and the published response format.
 *    The baseline has none of these and returns the rows unchanged. The run checks before the rounds that all three return
 *    the same trades, during them that every response is a success, and afterwards that every trade and its event exist.
 * 3. Requests are signed before the measurement. All processes, including the client, share the cores of this machine.
 * 4. Rounds are interleaved, so that a slow phase of the machine affects all of them equally. Each figure is the median
 *    of the rounds (p99: the median of the p99 of each round), each ratio the median of the ratios of all rounds.
 */
import { cpus } from 'node:os';
import { acknowledgeAll, countTradesAndEvents, openUsers, writeTrades } from './rest-data.mjs';
import { close, startEnvironment } from './rest-environment.mjs';
import { CONNECTIONS, quantile, REQUESTS, runRound } from './rest-load.mjs';
import { assertSameTrades, contestants, OPERATIONS, requestOf } from './rest-operations.mjs';
import { runAndClose } from './run.mjs';

const TRADES = 200_000;
const USERS = 100;
const ROUNDS = 15;
/** The minimum rates of listing: API key relative to the baseline, and signed relative to API key. */
const LIST_OF_BARE_MIN = 0.7;
const SIGNED_OF_API_KEY_MIN = 0.9;

/** @returns {Promise<Map<string, import('./rest-load.mjs').Round[]>>} the rounds of each contestant */
async function compare(operation, { database, compared, users }) {
  const rounds = new Map(compared.map(({ name }) => [name, []]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const contestant of compared) {
      const result = await runRound(contestant.url, (connection, index) =>
        requestOf(operation, contestant, users[(connection * 31 + index) % users.length], connection + index),
      );
      // The first round warms up.
      if (round >= 0) rounds.get(contestant.name).push(result);
      if (operation.name === 'create') await acknowledgeAll(database);
    }
  }
  return rounds;
}

async function compareCreating(operation, context) {
  const before = await countTradesAndEvents(context.database);
  const rounds = await compare(operation, context);
  const after = await countTradesAndEvents(context.database);
  const expected = (ROUNDS + 1) * context.compared.length * REQUESTS;
  if (after.trades - before.trades !== expected || after.events - before.events !== expected)
    throw new Error(
      `expected ${expected} new trades and events; got ${after.trades - before.trades} and ${after.events - before.events}`,
    );
  return rounds;
}

const median = (values) => quantile(values, 0.5);

function ratioOf(rounds, name, baselineName) {
  const rates = (contestant) => rounds.get(contestant).map(({ ratePerSecond }) => ratePerSecond);
  const baselineRates = rates(baselineName);
  return median(rates(name).map((rate, round) => rate / baselineRates[round]));
}

function report({ name, title }, rounds) {
  console.log(`\n${title}`);
  console.log('              requests/s   p50 ms   p99 ms   of bare');
  for (const [contestant, results] of rounds) {
    const figure = (pick, digits) =>
      median(results.map(pick)).toLocaleString('en-US', {
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      });
    const rate = figure(({ ratePerSecond }) => ratePerSecond, 0).padStart(10);
    const p50 = figure(({ p50Ms }) => p50Ms, 1).padStart(6);
    const p99 = figure(({ p99Ms }) => p99Ms, 1).padStart(6);
    const ofBare = ratioOf(rounds, contestant, 'bare').toFixed(3);
    console.log(`${contestant.padEnd(12)}  ${rate}   ${p50}   ${p99}   ${ofBare}`);
  }
  const verdict = (ratio, min) =>
    name === 'list'
      ? `${ratio.toFixed(3)} (target ${min}: ${ratio >= min ? 'met' : 'missed'})`
      : ratio.toFixed(3);
  console.log(`API key of bare: ${verdict(ratioOf(rounds, 'API key', 'bare'), LIST_OF_BARE_MIN)}`);
  console.log(`signed of API key: ${verdict(ratioOf(rounds, 'signed', 'API key'), SIGNED_OF_API_KEY_MIN)}`);
}

async function measure(names) {
  const startedAt = performance.now();
  const { database, apiUrl, bareUrl } = await startEnvironment();
  const users = await openUsers({ restUrl: apiUrl, database, count: USERS });
  await writeTrades({ database, users, count: TRADES });
  const compared = contestants({ apiUrl, bareUrl, users });
  await assertSameTrades(compared, users);
  const [cpu] = cpus();
  console.log(
    `${cpu?.model.trim()} x ${cpus().length}, ${process.platform} ${process.arch}, Node ${process.version}`,
  );
  console.log(
    `${TRADES.toLocaleString('en-US')} trades, ${USERS} users; median of ${ROUNDS} interleaved rounds of ${REQUESTS} requests, ${CONNECTIONS} connections`,
  );
  for (const operation of OPERATIONS.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const compareRounds = operation.name === 'create' ? compareCreating : compare;
    report(operation, await compareRounds(operation, { database, compared, users }));
  }
  console.log(`\n${Math.round((performance.now() - startedAt) / 1000)} s in all`);
}

await runAndClose(async () => {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !OPERATIONS.some((operation) => operation.name === name));
  if (unknown.length > 0)
    throw new Error(`unknown operation: ${unknown.join(', ')}. Use list, get or create.`);
  await measure(names);
}, close);
