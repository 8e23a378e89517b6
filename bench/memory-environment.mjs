/** Starts the product of a built checkout for `memory.mjs`, with its Postgres behind a proxy that counts statements. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { openStatementProxy } from './statement-proxy.mjs';

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
  const { migrateDatabase, superviseService } = await launch('service-processes.mjs');
  const { ampleRateLimits, listServices, serviceNodeOptions } = await launch('service-list.mjs');
  const { ensureKeys } = await launch('keys.mjs');
  const { freePort } = await launch('ports.mjs');
  const servers = await startTestServers({ postgres: true, redis: true });
  cleanup.push(servers.stop);
  await migrateDatabase(servers.databaseUrl);
  const proxy = await openStatementProxy(servers.databaseUrl);
  cleanup.push(proxy.close);
  const database = new pg.Client({ connectionString: servers.databaseUrl });
  await database.connect();
  cleanup.push(() => database.end());
  const folder = temporaryFolder();
  const ports = { rest: await freePort(), graphql: await freePort(), paperExchange: await freePort() };
  // The inspector lets a measurement collect garbage first.
  const env = { NODE_OPTIONS: `${serviceNodeOptions} --inspect=127.0.0.1:0` };
  const apiEnv = { ...env, RATE_LIMITS: ampleRateLimits };
  const services = listServices({
    databaseUrl: proxy.url,
    redisUrl: servers.redisUrl,
    keys: await ensureKeys(folder),
    paperExchangeDir: folder,
    ports,
    extraEnv: {
      'rest-api': apiEnv,
      'graphql-api': apiEnv,
      'trading-worker': env,
      'webhook-dispatcher': env,
      'paper-exchange': env,
    },
  });
  /** @type {Map<string, { pid: () => number | undefined, inspectorUrl: string }>} */
  const running = new Map();
  /** Starts services by name; all that are not running yet without names. They run until `close`. */
  const start = async (...names) => {
    for (const service of services) {
      if (running.has(service.name) || (names.length > 0 && !names.includes(service.name))) continue;
      const entry = { pid: () => supervised.pid, inspectorUrl: '' };
      const supervised = superviseService(service, (line) => {
        const [url] = /ws:\/\/127\.0\.0\.1:\S+/.exec(line) ?? [];
        if (url !== undefined && line.includes('Debugger listening')) entry.inspectorUrl = url;
      });
      running.set(service.name, entry);
      cleanup.push(() => supervised.stop());
      await supervised.untilReady();
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
