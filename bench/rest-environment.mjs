/** What `rest.mjs` measures: the API and its bare peer, each a process of its own, on one throw-away Postgres. */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { ensureKeys } from '../tooling/launch/keys.mjs';
import { root } from '../tooling/launch/paths.mjs';
import { ampleRateLimits, listServices, serviceNodeOptions } from '../tooling/launch/service-list.mjs';
import { migrateDatabase } from '../tooling/launch/service-processes.mjs';
import { startTestServers } from '../tooling/launch/test-servers.mjs';

/** What is to be let go of in the end, the latest first. */
const closers = [];

export async function close() {
  while (closers.length > 0) await closers.pop()();
}

/**
 * @param {Record<string, string>} [environment] more settings of the API; its limits are raised unless this sets them
 * @returns {Promise<{ database: pg.Client, apiUrl: string, bareUrl: string }>} until `close`
 */
export async function startEnvironment(environment = { RATE_LIMITS: ampleRateLimits }) {
  const { database, servers } = await startServers();
  const apiUrl = await serveApi('rest-api', await apiEnvironment(servers, environment));
  const bare = join(import.meta.dirname, 'rest-baseline.mjs');
  const bareUrl = await serve(bare, { DATABASE_URL: servers.databaseUrl, NODE_OPTIONS: serviceNodeOptions });
  return { database, apiUrl, bareUrl };
}

/** A throw-away Postgres with the schema of the product, and Redis, until `close`. */
export async function startServers() {
  const servers = await startTestServers({ postgres: true, redis: true });
  closers.push(servers.stop);
  await migrateDatabase(servers.databaseUrl);
  const database = new pg.Client({ connectionString: servers.databaseUrl });
  await database.connect();
  closers.push(() => database.end());
  return { database, servers };
}

/** The settings of a deployed API, and `extraEnv`. */
export async function apiEnvironment({ databaseUrl, redisUrl }, extraEnv) {
  const keys = await createKeys();
  const ports = { rest: 0, graphql: 0, paperExchange: 0 };
  const services = listServices({ databaseUrl, redisUrl, keys, paperExchangeDir: '', ports });
  return { ...services.find(({ name }) => name === 'rest-api').env, PORT: '0', ...extraEnv };
}

/** An API as it is deployed, until `close`. */
export const serveApi = (app, env) => serve(join(root, 'apps', app, 'dist', 'main.js'), env);

/** Keys of this run, which nothing remembers. */
async function createKeys() {
  const folder = mkdtempSync(join(tmpdir(), 'trading-automation-bench-'));
  try {
    return await ensureKeys(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs a script in a process of its own until `close`. @returns {Promise<string>} the address it serves */
export async function serve(script, env) {
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
