/** Starts the API and its baseline for `rest.mjs`, as separate processes with one temporary Postgres. */
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

/** Functions that release what was opened; `close` calls the newest first. */
const cleanup = [];

export async function close() {
  while (cleanup.length > 0) await cleanup.pop()();
}

/**
 * @param {Record<string, string>} [environment] more environment variables of the API; by default raised rate limits
 * @returns {Promise<{ database: pg.Client, apiUrl: string, bareUrl: string }>} they run until `close`
 */
export async function startEnvironment(environment = { RATE_LIMITS: ampleRateLimits }) {
  const { database, servers } = await startServers();
  const apiUrl = await serveApi('rest-api', await apiEnvironment(servers, environment));
  const bare = join(import.meta.dirname, 'rest-baseline.mjs');
  const bareUrl = await serve(bare, { DATABASE_URL: servers.databaseUrl, NODE_OPTIONS: serviceNodeOptions });
  return { database, apiUrl, bareUrl };
}

/** Starts a temporary Postgres with the product's schema, and Redis. They run until `close`. */
export async function startServers() {
  const servers = await startTestServers({ postgres: true, redis: true });
  cleanup.push(servers.stop);
  await migrateDatabase(servers.databaseUrl);
  const database = new pg.Client({ connectionString: servers.databaseUrl });
  await database.connect();
  cleanup.push(() => database.end());
  return { database, servers };
}

/** Returns the environment variables of a deployed API, with `extraEnv`. */
export async function apiEnvironment({ databaseUrl, redisUrl }, extraEnv) {
  const keys = await createKeys();
  const ports = { rest: 0, graphql: 0, paperExchange: 0 };
  const services = listServices({ databaseUrl, redisUrl, keys, paperExchangeDir: '', ports });
  return { ...services.find(({ name }) => name === 'rest-api').env, PORT: '0', ...extraEnv };
}

/** Starts an API as it is deployed. It runs until `close`. */
export const serveApi = (app, env) => serve(join(root, 'apps', app, 'dist', 'main.js'), env);

/** Creates keys for this run, and deletes their files. */
async function createKeys() {
  const folder = mkdtempSync(join(tmpdir(), 'trading-automation-bench-'));
  try {
    return await ensureKeys(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs a script in a separate process until `close`. @returns {Promise<string>} the URL of its server */
export async function serve(script, env) {
  const child = fork(script, [], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    detached: true,
    env: { ...process.env, ...env },
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  cleanup.push(async () => {
    child.kill();
    await ended;
  });
  const url = await readyUrl(child.stdout);
  if (url === undefined) throw new Error(`${script} ended before it was ready`);
  // Discards later log lines, so that they do not fill the pipe.
  child.stdout.resume();
  return url;
}

async function readyUrl(stdout) {
  for await (const line of createInterface({ input: stdout })) {
    const { msg, url } = JSON.parse(line);
    if (msg === 'ready') return url;
  }
}
