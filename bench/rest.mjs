/**
 * GET /v1/trades?limit=50 of the REST API beside a bare handler that reads the same rows (`rest-bare.mjs`).
 *
 *   pnpm turbo run build && node bench/rest.mjs
 *
 * 1. API and peer are processes of their own on one throw-away Postgres: 200,000 trades of 100 users. Both have a
 *    pool of 10 connections; each round opens 32 connections that are kept alive and asks 800 times.
 * 2. `API key` and `signed` are the whole product: credentials, checks, the answer in its published form. The peer
 *    knows no credentials and answers with the rows as they are. That all three show the same trades is looked at
 *    before, and that every answer is a 200 during the rounds.
 * 3. Requests are signed before the clock starts. All processes share the cores of this machine, the one that asks too.
 * 4. Rounds are interleaved, so that a machine that slows down slows all alike. Each figure is the median of the
 *    rounds, each ratio the median of the ratios within a round.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createRequestSigner } from '@trading-automation/signed-request';
import autocannon from 'autocannon';
import pg from 'pg';
import { ensureKeys } from '../tooling/launch/keys.mjs';
import { root } from '../tooling/launch/paths.mjs';
import { ampleRateLimits, listServices } from '../tooling/launch/service-list.mjs';
import { migrateDatabase } from '../tooling/launch/service-processes.mjs';
import { startTestServers } from '../tooling/launch/test-servers.mjs';
import { openUsers, writeTrades } from './rest-data.mjs';

const TRADES = 200_000;
const USERS = 100;
const LIMIT = 50;
const CONNECTIONS = 32;
const REQUESTS_PER_CONNECTION = 25;
const ROUNDS = 15;
const RATIO_MIN = 0.5;

const PATH = `/v1/trades?limit=${LIMIT}`;

/** What is to be let go of in the end, the latest first. */
const closers = [];

async function close() {
  while (closers.length > 0) await closers.pop()();
}

/** Runs a script in a process of its own until `close`. @returns {Promise<string>} the address it serves */
async function serve(script, env) {
  const child = fork(script, [], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    detached: true,
    env: { ...process.env, ...env },
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  closers.push(async () => {
    child.kill();
    await ended;
  });
  const url = await readyUrl(child.stdout);
  if (url === undefined) throw new Error(`${script} ended before it was ready`);
  // What it logs from now on is not wanted, and must not fill its pipe.
  child.stdout.resume();
  return url;
}

async function readyUrl(stdout) {
  for await (const line of createInterface({ input: stdout })) {
    const { msg, url } = JSON.parse(line);
    if (msg === 'ready') return url;
  }
}

async function startSurroundings() {
  const servers = await startTestServers({ postgres: true, redis: true });
  closers.push(servers.stop);
  await migrateDatabase(servers.databaseUrl);
  const database = new pg.Client({ connectionString: servers.databaseUrl });
  await database.connect();
  closers.push(() => database.end());
  return { ...servers, database };
}

async function startApi({ databaseUrl, redisUrl }) {
  const keys = await drawKeys();
  const ports = { rest: 0, paperExchange: 0 };
  const more = { 'rest-api': { RATE_LIMITS: ampleRateLimits } };
  const services = listServices({ databaseUrl, redisUrl, keys, paperExchangeDir: '', ports, more });
  const { env } = services.find(({ name }) => name === 'rest-api');
  return await serve(join(root, 'apps', 'rest-api', 'dist', 'main.js'), env);
}

/** Keys of this run, which nothing remembers. */
async function drawKeys() {
  const folder = mkdtempSync(join(tmpdir(), 'trading-automation-bench-'));
  try {
    return await ensureKeys(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The ways to ask; each makes the next request of a user. */
function contestants({ apiUrl, bareUrl, users }) {
  const signers = new Map(users.map((user) => [user, createRequestSigner(user.privateKey)]));
  const signed = (user) => signers.get(user)({ method: 'GET', path: PATH });
  return [
    { name: 'bare', url: bareUrl, next: ({ userId }) => ({ path: `${PATH}&user=${userId}` }) },
    {
      name: 'API key',
      url: apiUrl,
      next: ({ apiKey }) => ({ path: PATH, headers: { 'x-api-key': apiKey } }),
    },
    { name: 'signed', url: apiUrl, next: (user) => ({ path: PATH, headers: signed(user) }) },
  ].map((contestant) => ({ ...contestant, rates: [] }));
}

/** Every user's page shows the same trades, however it is asked for. */
async function assertSameTrades(contestants, users) {
  for (const user of users) {
    const pages = await Promise.all(
      contestants.map(async ({ url, next }) => {
        const { path, headers } = next(user);
        const answer = await fetch(url + path, { headers });
        const { data } = await answer.json();
        return data.map(({ client_order_id }) => client_order_id);
      }),
    );
    const [bare] = pages;
    if (bare.length !== LIMIT || pages.some((page) => page.join() !== bare.join()))
      throw new Error('the API and the bare peer show different trades');
  }
}

/** Requests per second of one round, from its first request to its last answer. */
async function ratePerSecond({ name, url, next }, users) {
  const queues = Array.from({ length: CONNECTIONS }, (_, connection) =>
    Array.from({ length: REQUESTS_PER_CONNECTION }, (_, i) =>
      next(users[(connection * 31 + i) % users.length]),
    ),
  );
  const run = autocannon({
    url,
    connections: CONNECTIONS,
    amount: CONNECTIONS * REQUESTS_PER_CONNECTION,
    sampleInt: 50,
    setupClient: (client) => client.setRequests(queues.pop()),
  });
  let [startedAt, endedAt] = [performance.now(), 0];
  run.once('start', () => {
    startedAt = performance.now();
  });
  run.on('response', () => {
    endedAt = performance.now();
  });
  const result = await run;
  if (result['2xx'] !== CONNECTIONS * REQUESTS_PER_CONNECTION)
    throw new Error(
      `${name}: ${result['2xx']} answers of 200, ${result.non2xx} others, ${result.errors} errors`,
    );
  return (result['2xx'] / (endedAt - startedAt)) * 1000;
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

function report(rows) {
  const [bare] = rows;
  const [cpu] = cpus();
  console.log(
    `${cpu?.model.trim()} x ${cpus().length}, ${process.platform} ${process.arch}, Node ${process.version}`,
  );
  console.log(
    `GET ${PATH}, ${TRADES.toLocaleString('en-US')} trades, ${USERS} users; median of ${ROUNDS} interleaved rounds of ${CONNECTIONS * REQUESTS_PER_CONNECTION} requests, ${CONNECTIONS} connections\n`,
  );
  console.log('              requests/s   of bare');
  for (const { name, rates } of rows) {
    const ratio = median(rates.map((rate, round) => rate / bare.rates[round]));
    const rate = Math.round(median(rates)).toLocaleString('en-US').padStart(10);
    const verdict = `(target ${RATIO_MIN}: ${ratio >= RATIO_MIN ? 'met' : 'missed'})`;
    console.log(
      `${name.padEnd(12)}  ${rate}   ${ratio.toFixed(3)} ${name === 'bare' ? '' : verdict}`.trimEnd(),
    );
  }
}

async function measure() {
  const beganAt = performance.now();
  const { databaseUrl, redisUrl, database } = await startSurroundings();
  const apiUrl = await startApi({ databaseUrl, redisUrl });
  const bareUrl = await serve(join(import.meta.dirname, 'rest-bare.mjs'), { DATABASE_URL: databaseUrl });
  const users = await openUsers({ restUrl: apiUrl, database, count: USERS });
  await writeTrades({ database, users, count: TRADES });
  const rows = contestants({ apiUrl, bareUrl, users });
  await assertSameTrades(rows, users);
  for (const row of rows) await ratePerSecond(row, users);
  for (let round = 0; round < ROUNDS; round++) {
    for (const row of rows) row.rates.push(await ratePerSecond(row, users));
  }
  report(rows);
  console.log(`\n${Math.round((performance.now() - beganAt) / 1000)} s in all`);
}

let isInterrupted = false;
for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
]) {
  process.once(signal, () => {
    isInterrupted = true;
    close().finally(() => process.exit(exitCode));
  });
}

try {
  await measure();
} catch (error) {
  // What breaks because everything is being closed is no news.
  if (!isInterrupted) throw error;
} finally {
  await close();
}
