/**
 * Checks that the memory of the product and of its servers does not grow with what users send:
 *
 *   node bench/memory.mjs [checkout] [--requests 10000]
 *
 * 1. Starts all processes of a built checkout (default: this one) with 50 users, and measures the idle memory.
 * 2. A round requests every list with every sort, order, combination of filters and kind of position, then sends mixed
 *    requests: pages, records, unknown ids, unknown paths, GraphQL documents that are all different, and writes.
 * 3. The second round sends the same kinds of requests with values that the first did not send.
 * 4. After the first round, the backends of Postgres have grown by at most 30 MB in all. During both rounds, no
 *    connection keeps more than 200 named statements. After the second round, no process has grown by more than 10 %.
 *    Backends come and go with the pools: of each service, the largest sum within some seconds counts for the first limit,
 *    and for the second its largest backend, which has used the most tables and statements, and the average of all backends.
 *
 * Measured is anonymous memory (`Pss_Anon`), because only that grows with statements and caches. Postgres' buffers are
 * shared memory with a fixed limit. Only memory in use counts: a process of Node collects garbage before each measurement,
 * and Postgres returns freed memory to the system. Linux only. The exit code is 1 if a limit is exceeded.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { signRequest } from '@trading-automation/signed-request';
import { Agent, request } from 'undici';
import { collectGarbage } from './collect-garbage.mjs';
import { close, startProduct } from './memory-environment.mjs';
import { anonymousMib, findProcess, treeOf } from './memory-processes.mjs';
import { crawlOf, graphqlRequest, listsOf, mixedRequest } from './memory-requests.mjs';
import { openUsers, writeTrades } from './rest-data.mjs';
import { runAndClose } from './run.mjs';

const USERS = 50;
const TRADES = 20_000;
const CONCURRENCY = 16;
const SETTLE_MS = 15_000;
const BACKENDS_GROWTH_MAX_MIB = 30e6 / 2 ** 20;
/** A pool closes a connection that was idle for ten seconds. */
const BACKENDS_SAMPLES = 8;
const SAMPLE_MS = 1_000;
const STATEMENTS_MAX = 200;
const GROWTH_RATIO_MAX = 1.1;
/** Growth below this, of a process and of one backend, is within what one measurement differs from the next. */
const NOISE_MIB = 2;
const BACKEND_NOISE_MIB = 0.2;

const agent = new Agent({ connections: CONCURRENCY, pipelining: 1 });

/** Sends a request, by API key or signed. @returns {Promise<{ status: number, json: any }>} */
async function send(baseUrl, user, { method, path, body: value, headers = {}, isSigned = false }) {
  const body = value === undefined ? undefined : JSON.stringify(value);
  const response = await request(`${baseUrl}${path}`, {
    dispatcher: agent,
    method,
    headers: {
      ...(isSigned
        ? signRequest({ method, path, privateKey: user.privateKey, body })
        : { 'x-api-key': user.apiKey }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.body.text();
  if (response.statusCode >= 500) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
  return { status: response.statusCode, json: text === '' ? undefined : JSON.parse(text) };
}

/** Calls `work` for every item, `CONCURRENCY` at a time. */
async function forEachAtOnce(items, work) {
  const rest = items.entries();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const [index, item] of rest) await work(item, index);
    }),
  );
}

/** Creates what the lists of a user contain, and returns its ids. */
async function createRecords(product, user, leader) {
  const post = async (path, body) => {
    const { status, json } = await send(product.restUrl, user, { method: 'POST', path, body });
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${JSON.stringify(json)}`);
    return json.data;
  };
  const { json } = await send(product.restUrl, user, { method: 'GET', path: '/v1/exchanges' });
  const exchangeAccountId = json.data[0].id;
  const strategy = await post('/v1/strategies', {
    name: 'memory',
    exchange_account_id: exchangeAccountId,
    visibility: 'PUBLIC',
  });
  const webhook = await post('/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['webhook.test'] });
  const copier = await post('/v1/copiers', {
    name: 'memory',
    strategy_id: leader?.strategyId ?? strategy.id,
    exchange_account_id: exchangeAccountId,
    sizing: { mode: 'FIXED_QUOTE', value: '10' },
  }).catch((error) => {
    if (leader === undefined) return undefined;
    throw error;
  });
  return { strategyId: strategy.id, webhookId: webhook.id, copierId: copier?.id, exchangeAccountId };
}

/** Sends one round. @returns {Promise<Map<string, number>>} the number of responses of each kind and status */
async function runRound(product, { lists, users, round, requests }) {
  const statuses = new Map();
  const count = (kind, status) =>
    statuses.set(`${kind} ${status}`, (statuses.get(`${kind} ${status}`) ?? 0) + 1);
  const idOf = (path) => (path.includes('/copiers/') ? '{copierId}' : '{webhookId}');
  const crawl = [...crawlOf(lists, { round, idOf })];
  const of = (user, path) =>
    path.replace(/\{(\w+)\}|%7B(\w+)%7D/g, (_, name, encoded) => user.records[name ?? encoded]);
  await forEachAtOnce(crawl, async (each, index) => {
    const user = users[index % users.length];
    const path = of(user, each.path);
    const { status, json } = await send(product.restUrl, user, { ...each, path });
    count('crawl', status);
    const cursor = each.wantsNextPage ? json.pagination?.next_cursor : null;
    if (cursor === null || cursor === undefined) return;
    const next = `${path}&cursor=${encodeURIComponent(cursor)}`;
    count('next page', (await send(product.restUrl, user, { method: 'GET', path: next })).status);
  });
  const mixed = Array.from({ length: requests }, (_, index) => mixedRequest({ crawl, round, index }));
  await forEachAtOnce(mixed, async (each, index) => {
    const user = users[index % users.length];
    const { status } = await send(each.isSigned ? product.graphqlUrl : product.restUrl, user, {
      ...each,
      path: of(user, each.path),
    });
    count(each.isSigned ? 'mixed GraphQL' : `mixed ${each.method}`, status);
  });
  return statuses;
}

/** Sends the simplest requests, so that all connections are open before the first measurement, as after it. */
async function openPools(product, users) {
  await forEachAtOnce(Array.from({ length: 600 }), async (_, index) => {
    const user = users[index % users.length];
    await send(product.restUrl, user, { method: 'GET', path: '/v1/trades' });
    await send(product.graphqlUrl, user, graphqlRequest('{ trades { edges { node { id } } } }'));
  });
}

/** Returns the process ids of the backends of each process of the product, by the name of its connections. */
async function backendsByProcess({ database }) {
  const { rows } = await database.query(
    `SELECT application_name AS name, array_agg(pid) AS pids FROM pg_stat_activity
     WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() GROUP BY 1 ORDER BY 1`,
  );
  return new Map(rows.map(({ name, pids }) => [name, pids]));
}

/** @typedef {{ mib: number, count: number, largestMib: number }} Backends */

/**
 * Measures the backends of each service some times, because services open and close connections at any time.
 *
 * @returns {Promise<Map<string, Backends>>} by service, when their sum was largest
 */
async function measureBackends(product) {
  const largest = new Map();
  for (let sample = 0; sample < BACKENDS_SAMPLES; sample++) {
    if (sample > 0) await wait(SAMPLE_MS);
    for (const [name, pids] of await backendsByProcess(product)) {
      const each = pids.map((pid) => anonymousMib([pid]));
      const mib = each.reduce((sum, one) => sum + one, 0);
      if (mib > (largest.get(name)?.mib ?? 0))
        largest.set(name, { mib, count: pids.length, largestMib: Math.max(...each) });
    }
  }
  return largest;
}

/**
 * @returns {Promise<{ backends: Map<string, Backends>, processes: Map<string, number> }>} by service: its backends, and the
 *   MiB of each process; the rest of Postgres counts as one
 */
async function measure(product, serverPids) {
  // Measured first, before connections that are idle are closed.
  const backends = await measureBackends(product);
  const pids = new Set([...(await backendsByProcess(product)).values()].flat());
  const others = treeOf(serverPids.postgres).filter(
    (pid) => !pids.has(pid) && pid !== product.database.processID,
  );
  const processes = new Map([
    ['postgres without backends', anonymousMib(others)],
    ['redis', anonymousMib([serverPids.redis])],
  ]);
  for (const { inspectorUrl } of product.running.values()) await collectGarbage(inspectorUrl);
  for (const [name, { pid }] of product.running) processes.set(name, anonymousMib([pid]));
  return { backends, processes };
}

async function pidsOf(product) {
  const { rows } = await product.database.query(
    "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS postmaster",
  );
  return { postgres: rows[0].postmaster, redis: findProcess(/redis-server|valkey-server/) };
}

async function main({ checkout, requests }) {
  const product = await startProduct(checkout);
  const openApi = JSON.parse(readFileSync(join(checkout, 'apps', 'rest-api', 'openapi.json'), 'utf8'));
  const lists = listsOf(openApi);
  await product.start('rest-api');
  const users = await openUsers({ restUrl: product.restUrl, database: product.database, count: USERS });
  await product.database.query("UPDATE api_keys SET permissions = '{ADMIN}'");
  await writeTrades({ database: product.database, users, count: TRADES });
  for (const user of users) user.records = await createRecords(product, user, users[0].records);
  users[0].records.copierId ??= users[1].records.copierId;
  // Their credentials are not real, so that the worker must not connect to them.
  await product.database.query('UPDATE exchange_accounts SET is_active = false');
  await product.start();
  const serverPids = await pidsOf(product);
  await wait(SETTLE_MS);
  await openPools(product, users);
  const idle = await measure(product, serverPids);
  const measured = [idle];
  let most = 0;
  for (const round of [0, 1]) {
    const statuses = await runRound(product, { lists, users, round, requests });
    measured.push(await measure(product, serverPids));
    most = Math.max(most, product.proxy.most());
    console.log(
      `round ${round + 1}: ${[...statuses].map(([kind, count]) => `${kind}: ${count}`).join(', ')}`,
    );
    console.log(
      `named statements: at most ${product.proxy.most()} on a connection, ${product.proxy.texts()} texts`,
    );
  }
  report(measured, most);
}

const sumOf = (backends, figure) => [...backends.values()].reduce((sum, each) => sum + each[figure], 0);

/** Returns the MiB that are judged, by name: the largest backend of each service, and an average backend. */
function judgedBackends({ backends }) {
  return new Map([
    ...[...backends].map(([name, { largestMib }]) => [`largest backend of ${name}`, largestMib]),
    ['one backend, on average', sumOf(backends, 'mib') / sumOf(backends, 'count')],
  ]);
}

/** Adds the rows of a table to `rows`. @returns {string[]} the names and factors of those that grew in the second round */
function growthOf([idle, first, second], { noiseMib, rows }) {
  const grown = [];
  for (const name of new Set([...first.keys(), ...second.keys()])) {
    const figures = [idle, first, second].map((each) => each.get(name) ?? Number.NaN);
    const [atIdle, afterFirst, afterSecond] = figures.map((mib) => Number(mib.toFixed(1)));
    const ratio = Number((figures[2] / figures[1]).toFixed(3));
    rows[name] = { idle: atIdle, 'round 1': afterFirst, 'round 2': afterSecond, ratio };
    // A process that was not measured has the ratio NaN, and counts as grown.
    if (!(ratio <= GROWTH_RATIO_MAX || figures[2] - figures[1] <= noiseMib))
      grown.push(`${name} by the factor ${ratio}`);
  }
  return grown;
}

function report(measured, mostStatements) {
  const rows = {};
  const failures = [
    ...growthOf(measured.map(judgedBackends), { noiseMib: BACKEND_NOISE_MIB, rows }),
    ...growthOf(
      measured.map(({ processes }) => processes),
      { noiseMib: NOISE_MIB, rows },
    ),
  ].map((grown) => `grew in the second round: ${grown}`);
  console.log('MiB of processes; the ratio is that of round 2 to round 1');
  console.table(rows);
  const moments = ['idle', 'round 1', 'round 2'];
  measured.forEach(({ backends }, index) => {
    const services = [...backends].map(([name, { mib, count }]) => `${name} ${mib.toFixed(1)} (${count})`);
    console.log(
      `backends, ${moments[index]}: ${sumOf(backends, 'mib').toFixed(1)} MiB, of these ${services.join(', ')}`,
    );
  });
  const growth = sumOf(measured[1].backends, 'mib') - sumOf(measured[0].backends, 'mib');
  console.log(
    `backends grew by ${growth.toFixed(1)} MiB in the first round (limit ${BACKENDS_GROWTH_MAX_MIB.toFixed(1)})`,
  );
  console.log(`named statements of a connection: at most ${mostStatements} (limit ${STATEMENTS_MAX})`);
  if (growth > BACKENDS_GROWTH_MAX_MIB) failures.push('the backends of Postgres grew too much');
  if (mostStatements > STATEMENTS_MAX) failures.push('a connection kept too many named statements');
  for (const failure of failures) console.log(`FAILED: ${failure}`);
  console.log(failures.length === 0 ? 'passed' : 'failed');
  process.exitCode = failures.length === 0 ? 0 : 1;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { requests: { type: 'string', default: '10000' } },
});
const checkout = resolve(positionals[0] ?? join(import.meta.dirname, '..'));
await runAndClose(() => main({ checkout, requests: Number(values.requests) }), close);
