/** Measures the list of trades with a related record, for `graphql.mjs`. */
import { deepEqual } from 'node:assert/strict';
import { join } from 'node:path';
import { createRequestSigner } from '@trading-automation/signed-request';
import { ampleRateLimits, serviceNodeOptions } from '../tooling/launch/service-list.mjs';
import { openUsers, writeTrades } from './rest-data.mjs';
import { apiEnvironment, serve, serveApi, startServers } from './rest-environment.mjs';
import { quantile, runRound } from './rest-load.mjs';

const TRADES = 100_000;
const USERS = 50;
const ROUNDS = 15;
/** The minimum of the product's rate, relative to the baseline. */
const RATIO_MIN = 0.6;

const FIELDS = 'symbol type side price amount status exchangeAccount { accountName exchangeName }';
const QUERY = `{ trades(first: 20) { nodes { ${FIELDS} } } }`;
const median = (values) => quantile(values, 0.5);

export async function compareLists() {
  const { database, servers } = await startServers();
  const env = await apiEnvironment(servers, { RATE_LIMITS: ampleRateLimits });
  const users = await openUsers({ restUrl: await serveApi('rest-api', env), database, count: USERS });
  await writeTrades({ database, users, count: TRADES });
  const bare = await serve(join(import.meta.dirname, 'graphql-baseline.mjs'), {
    DATABASE_URL: servers.databaseUrl,
    NODE_OPTIONS: serviceNodeOptions,
    NODE_ENV: 'production',
  });
  const contestants = [
    { name: 'bare', url: bare, headersOf: ({ userId }) => ({ 'x-user': userId }) },
    { name: 'signed', url: await serveApi('graphql-api', env), headersOf: signedHeaders(users) },
  ];
  await assertSameLists(contestants, users);
  report(await measure(contestants, users));
}

function signedHeaders(users) {
  const signers = new Map(users.map((user) => [user, createRequestSigner(user.privateKey)]));
  return (user, body) => signers.get(user)({ method: 'POST', path: '/graphql', body });
}

const BODY = JSON.stringify({ query: QUERY });
const requestOf = ({ headersOf }, user) => ({
  method: 'POST',
  path: '/graphql',
  body: BODY,
  headers: { 'content-type': 'application/json', ...headersOf(user, BODY) },
});

/** Throws unless both contestants return the same 20 trades. */
async function assertSameLists(contestants, users) {
  for (const user of users.slice(0, 5)) {
    const lists = [];
    for (const contestant of contestants) {
      const { method, headers, body } = requestOf(contestant, user);
      const response = await fetch(`${contestant.url}/graphql`, { method, headers, body });
      const { data, errors } = await response.json();
      if (errors !== undefined) throw new Error(JSON.stringify(errors));
      lists.push(data.trades.nodes);
    }
    deepEqual(lists[1], lists[0]);
    if (lists[0].length !== 20) throw new Error(`the list must contain 20 trades; got ${lists[0].length}`);
  }
}

async function measure(contestants, users) {
  const rounds = new Map(contestants.map(({ name }) => [name, []]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const contestant of contestants) {
      const result = await runRound(contestant.url, (connection, index) =>
        requestOf(contestant, users[(connection * 31 + index) % users.length]),
      );
      // The first round warms up.
      if (round >= 0) rounds.get(contestant.name).push(result);
    }
  }
  return rounds;
}

function report(rounds) {
  console.log(`\n${QUERY}`);
  console.log('              requests/s   p50 ms   p99 ms');
  for (const [name, results] of rounds) {
    const figure = (pick, digits) => median(results.map(pick)).toFixed(digits);
    const [rate, p50, p99] = [
      figure(({ ratePerSecond }) => ratePerSecond, 0),
      figure(({ p50Ms }) => p50Ms, 1),
      figure(({ p99Ms }) => p99Ms, 1),
    ];
    console.log(`${name.padEnd(12)}  ${rate.padStart(10)}   ${p50.padStart(6)}   ${p99.padStart(6)}`);
  }
  const rates = (name) => rounds.get(name).map(({ ratePerSecond }) => ratePerSecond);
  const bare = rates('bare');
  const ratio = median(rates('signed').map((rate, round) => rate / bare[round]));
  const verdict = ratio >= RATIO_MIN ? 'met' : 'missed';
  console.log(`of bare: ${ratio.toFixed(3)} (target ${RATIO_MIN}: ${verdict})`);
}
