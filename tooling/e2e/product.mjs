import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { until } from '../launch/first-trade/scenario.mjs';
import { ensureKeys } from '../launch/keys.mjs';
import { freePort } from '../launch/ports.mjs';
import { ampleRateLimits, listServices } from '../launch/service-list.mjs';
import { migrateDatabase, superviseService } from '../launch/service-processes.mjs';
import { startTestServers } from '../launch/test-servers.mjs';

/**
 * Starts the whole product for one test file: real processes on free ports, with their own database and Redis. A killed
 * process is restarted, as with `npm start`.
 *
 * @param {{
 *   restApis?: number, graphqlApis?: number, hasDashboard?: boolean,
 *   extraEnv?: import('../launch/service-list.mjs').ServiceListOptions['extraEnv'], print?: (line: string) => void,
 * }} [options] `restApis`, `graphqlApis`: the number of API processes; `hasDashboard`: starts the
 *   dashboard, which needs a GraphQL API; `extraEnv`: further environment variables of single services, by name
 */
export async function startProduct(options = {}) {
  const { restApis = 1, graphqlApis = 0, hasDashboard = false, extraEnv, print = () => {} } = options;
  const folder = mkdtempSync(join(tmpdir(), 'trading-automation-product-'));
  /** @type {(() => unknown)[]} */
  const cleanup = [() => rmSync(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const step of cleanup.reverse()) await step();
  };
  try {
    const database = await createDatabase();
    cleanup.push(() => database.drop());
    const servers = await startTestServers({ postgres: false, redis: true });
    cleanup.push(() => servers.stop());
    const keys = await ensureKeys(join(folder, 'keys'));
    await migrateDatabase(database.url);

    const ports = {
      rest: await freePort(),
      paperExchange: await freePort(),
      ...(graphqlApis === 0 ? {} : { graphql: await freePort() }),
      ...(hasDashboard ? { dashboard: await freePort() } : {}),
    };
    /** Both APIs get the same limits, because they share token buckets. */
    const ample = { RATE_LIMITS: ampleRateLimits };
    const services = listServices({
      databaseUrl: database.url,
      redisUrl: /** @type {string} */ (servers.redisUrl),
      keys,
      paperExchangeDir: join(folder, 'paper-exchange'),
      ports,
      extraEnv: {
        ...extraEnv,
        'rest-api': { ...ample, ...extraEnv?.['rest-api'] },
        'graphql-api': { ...ample, ...extraEnv?.['graphql-api'] },
      },
    });
    services.push(...(await furtherProcesses(services, 'rest-api', restApis)));
    services.push(...(await furtherProcesses(services, 'graphql-api', graphqlApis)));
    /** @type {string[]} */
    const lines = [];
    const processes = new Map(
      services.map((service) => [
        service.name,
        superviseService(service, (line) => {
          lines.push(line);
          print(line);
        }),
      ]),
    );
    cleanup.push(() => Promise.all([...processes.values()].map((running) => running.stop())));
    await Promise.all([...processes.values()].map((running) => running.untilReady())).catch((error) => {
      throw new Error(`${error.message}\n${lines.slice(-30).join('\n')}`);
    });

    /** @param {string} name */
    const urlOf = (name) => {
      const url = services.find((service) => service.name === name)?.url;
      if (url === undefined) throw new Error(`no service ${name} with an address was started`);
      return url;
    };
    return {
      restUrl: urlOf('rest-api'),
      urlOf,
      paperExchangeUrl: urlOf('paper-exchange'),
      databaseUrl: database.url,
      redisUrl: /** @type {string} */ (servers.redisUrl),
      /** The log lines of the services so far. */
      lines,
      /**
       * Sends a signal to a service as soon as it runs. The launcher restarts the service.
       *
       * @param {string} name
       * @param {NodeJS.Signals} [signal] SIGKILL by default
       */
      async kill(name, signal = 'SIGKILL') {
        const pid = await until(
          async () => processes.get(name)?.pid,
          (value) => value !== undefined,
        );
        process.kill(/** @type {number} */ (pid), signal);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @typedef {Awaited<ReturnType<typeof startProduct>>} Product */

/**
 * Returns further processes of a service, each with its own port and named `name-2` and so on, so that there are
 * `count` in all.
 *
 * @param {readonly import('../launch/service-list.mjs').Service[]} services
 * @param {string} name
 * @param {number} count
 */
async function furtherProcesses(services, name, count) {
  const first = services.find((service) => service.name === name);
  if (first === undefined) return [];
  /** @type {import('../launch/service-list.mjs').Service[]} */
  const others = [];
  for (let i = 2; i <= count; i++) {
    const port = await freePort();
    others.push({
      ...first,
      name: `${name}-${i}`,
      url: `http://127.0.0.1:${port}`,
      env: { ...first.env, PORT: String(port) },
    });
  }
  return others;
}

async function createDatabase() {
  const adminUrl = process.env.TEST_DATABASE_URL;
  if (adminUrl === undefined) throw new Error('TEST_DATABASE_URL must name a Postgres server for the tests');
  const name = `product_${randomBytes(8).toString('hex')}`;
  /** @param {string} statement */
  const asAdmin = async (statement) => {
    const client = new pg.Client({ connectionString: adminUrl });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await asAdmin(`CREATE DATABASE ${name}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => asAdmin(`DROP DATABASE ${name} WITH (FORCE)`) };
}
