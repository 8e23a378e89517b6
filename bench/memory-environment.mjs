/** Starts the product of a built checkout for `memory.mjs`, with its Postgres behind a proxy that counts statements. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { openStatementProxy } from './statement-proxy.mjs';

/** The newest lines of a process's output that an error shows. */
const LINES_MAX = 50;

/** Functions that release what was opened; `close` calls the newest first. */
const cleanup = [];

export async function close() {
  while (cleanup.length > 0) await cleanup.pop()();
}

/**
 * @param {string} checkout the root of a built checkout, of this or of an older release
 */
export async function startProduct(checkout) {
  const launch = (file) => import(pathToFileURL(join(checkout, 'tooling', 'launch', file)).href);
  const { startTestServers, temporaryFolder } = await launch('test-servers.mjs');
  const { migrateDatabase } = await launch('service-processes.mjs');
  const { ampleRateLimits, listServices } = await launch('service-list.mjs');
  const { ensureKeys } = await launch('keys.mjs');
  const { freePort } = await launch('ports.mjs');
  const servers = await startTestServers({ postgres: true, redis: true, returnsFreedMemory: true });
  cleanup.push(servers.stop);
  await migrateDatabase(servers.databaseUrl);
  const proxy = await openStatementProxy(servers.databaseUrl);
  cleanup.push(proxy.close);
  const database = new pg.Client({ connectionString: servers.databaseUrl });
  await database.connect();
  cleanup.push(() => database.end());
  const folder = temporaryFolder();
  const ports = { rest: await freePort(), graphql: await freePort(), paperExchange: await freePort() };
  const services = listServices({
    databaseUrl: proxy.url,
    redisUrl: servers.redisUrl,
    keys: await ensureKeys(folder),
    paperExchangeDir: folder,
    ports,
  });
  /** @type {Map<string, { pid: number, inspectorUrl: string }>} */
  const running = new Map();
  /** Starts services by name; all that are not running yet without names. They run until `close`. */
  const start = async (...names) => {
    for (const service of services) {
      if (running.has(service.name) || (names.length > 0 && !names.includes(service.name))) continue;
      const { app, env } = service;
      const started = await startService(join(checkout, 'apps', app, 'dist', 'main.js'), {
        ...env,
        ...(app.endsWith('-api') ? { RATE_LIMITS: ampleRateLimits } : {}),
        // The inspector lets a measurement collect garbage first.
        NODE_OPTIONS: `${env.NODE_OPTIONS ?? ''} --inspect=127.0.0.1:0`,
      });
      running.set(service.name, started);
    }
  };
  return {
    database,
    proxy,
    start,
    running,
    restUrl: `http://127.0.0.1:${ports.rest}`,
    graphqlUrl: `http://127.0.0.1:${ports.graphql}`,
  };
}

/** Starts a process, and resolves when it is ready. It runs until `close`. */
async function startService(main, env) {
  const child = fork(main, [], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
    execArgv: [],
    env: { ...process.env, ...env },
  });
  const exited = once(child, 'exit');
  cleanup.push(async () => {
    child.kill();
    await exited;
  });
  const lines = [];
  const ended = exited.then(() => {
    throw new Error(`${main} ended before it was ready:\n${lines.join('\n')}`);
  });
  const lineOf = (stream, pattern) =>
    new Promise((resolve) => {
      createInterface({ input: stream }).on('line', (line) => {
        if (lines.push(line) > LINES_MAX) lines.shift();
        const match = pattern.exec(line);
        if (match !== null) resolve(match[1]);
      });
    });
  // After the start, the exit is expected.
  ended.catch(() => undefined);
  const ready = lineOf(child.stdout, /"msg":"(ready|listening)"/);
  const inspector = lineOf(child.stderr, /Debugger listening on (ws:\S+)/);
  const [, inspectorUrl] = await Promise.race([Promise.all([ready, inspector]), ended]);
  return { pid: child.pid, inspectorUrl };
}
