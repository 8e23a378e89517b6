import { join } from 'node:path';
import { until } from '../launch/first-trade/scenario.mjs';
import { ensureKeys } from '../launch/keys.mjs';
import { freePort } from '../launch/ports.mjs';
import { preparePostgres } from '../launch/postgres.mjs';
import { signalDescendants, signalTree } from '../launch/processes.mjs';
import { prepareRedis } from '../launch/redis.mjs';
import { startServerSupervisor } from '../launch/servers.mjs';
import { ampleRateLimits, ampleVenueLimits, listServices } from '../launch/service-list.mjs';
import { migrateDatabase, superviseService } from '../launch/service-processes.mjs';
import { temporaryFolder } from '../launch/test-servers.mjs';

/** Short restart delays, because a process that a test killed is not faulty. */
const SHORT_RESTART_DELAYS = { firstMs: 250, maxMs: 1_000, resetAfterMs: 1_000 };

/**
 * Starts the product with its own Postgres and Redis. As in a deployment, both servers write acknowledged data to the disk.
 * Killed servers and services are restarted.
 *
 * @param {{
 *   only?: readonly string[], workers?: number, extraEnv?: import('../launch/service-list.mjs').ServiceListOptions['extraEnv'],
 *   hasPublishedLimits?: boolean, hasDashboard?: boolean, paperTradingTypes?: readonly ('spot' | 'margin' | 'perpetual')[], print?: (line: string) => void,
 * }} [options] `only`: the services to start; `workers`: the number of trading workers; `paperTradingTypes`: what the paper
 *   exchange offers; `hasDashboard`: starts the
 *   GraphQL API and the dashboard, too; `hasPublishedLimits`: whether the
 *   paper exchange limits requests and orders as published; by default, its limits are high
 */
export async function startKillableProduct({
  only,
  workers = 1,
  hasPublishedLimits = false,
  hasDashboard = false,
  paperTradingTypes,
  extraEnv,
  print = () => {},
} = {}) {
  /** @type {(() => unknown)[]} */
  const cleanup = [];
  const stop = async () => {
    for (const step of cleanup.reverse()) await step();
  };
  /** @type {Map<string, number>} */
  const serverPids = new Map();
  try {
    const folder = temporaryFolder();
    const supervisor = startServerSupervisor((name, event) => {
      if (event.type === 'started') serverPids.set(name, event.pid);
    });
    cleanup.push(() => supervisor.stop());
    supervisor.removeAfterwards(folder);
    const [postgres, redis] = await Promise.all([
      preparePostgres({
        dataDir: join(folder, 'postgres'),
        passwordFile: join(folder, 'postgres-password'),
        logFile: join(folder, 'postgres.log'),
        port: await freePort(),
        database: 'product',
        // initdb does not flush the new cluster to the disk; Postgres flushes later commits.
        isFlushed: false,
      }),
      prepareRedis({
        dataDir: join(folder, 'redis'),
        logFile: join(folder, 'redis.log'),
        port: await freePort(),
        print: () => undefined,
      }),
    ]);
    await Promise.all([supervisor.start(postgres), supervisor.start(redis)]);
    await migrateDatabase(postgres.url);
    const services = withWorkers(
      listServices({
        databaseUrl: postgres.url,
        redisUrl: redis.url,
        keys: await ensureKeys(join(folder, 'keys')),
        paperExchangeDir: join(folder, 'paper-exchange'),
        ports: {
          rest: await freePort(),
          paperExchange: await freePort(),
          ...(hasDashboard ? { graphql: await freePort(), dashboard: await freePort() } : {}),
        },
        ...(hasPublishedLimits ? {} : { venueLimits: ampleVenueLimits }),
        ...(paperTradingTypes === undefined ? {} : { paperTradingTypes }),
        extraEnv: { ...extraEnv, 'rest-api': { RATE_LIMITS: ampleRateLimits, ...extraEnv?.['rest-api'] } },
      }).filter(({ name }) => only === undefined || only.includes(name)),
      workers,
    );
    const processes = new Map(
      services.map((service) => [service.name, superviseService(service, print, SHORT_RESTART_DELAYS)]),
    );
    cleanup.push(() => Promise.all([...processes.values()].map((running) => running.stop())));
    await Promise.all([...processes.values()].map((running) => running.untilReady()));

    /** @type {Set<string>} */
    const paused = new Set();
    /**
     * @param {string} name
     * @param {'SIGSTOP' | 'SIGCONT'} signal
     */
    const signalProcess = (name, signal) => {
      const pid = processes.get(name)?.pid ?? serverPids.get(name);
      if (pid === undefined) throw new Error(`${name} is not running`);
      signalTree(pid, signal);
      // Each connection of Postgres has a process with a group of its own.
      signalDescendants(pid, signal);
    };
    cleanup.push(() => {
      for (const name of paused) signalProcess(name, 'SIGCONT');
    });
    /** @param {string} name */
    const urlOf = (name) => services.find((service) => service.name === name)?.url ?? '';
    return {
      restUrl: urlOf('rest-api'),
      urlOf,
      paperExchangeUrl: urlOf('paper-exchange'),
      databaseUrl: postgres.url,
      redisUrl: redis.url,
      /** The names of the trading workers. */
      workerNames: services.filter(({ app }) => app === 'trading-worker').map(({ name }) => name),
      /**
       * Kills a server or a service with SIGKILL. Resolves once it was restarted.
       *
       * @param {string} name
       */
      async kill(name) {
        const pidOf = () => (serverPids.has(name) ? serverPids.get(name) : processes.get(name)?.pid);
        const pid = /** @type {number} */ (
          await until(
            async () => pidOf(),
            (value) => value !== undefined,
          )
        );
        signalTree(pid, 'SIGKILL');
        await until(
          async () => pidOf(),
          (newPid) => newPid !== undefined && newPid !== pid,
        );
      },
      /**
       * Resolves once a service that was killed is ready again.
       *
       * @param {string} name
       */
      async untilReady(name) {
        await processes.get(name)?.untilReady();
      },
      /**
       * Suspends a server or a service until `resume`, like a machine that stops responding.
       *
       * @param {string} name
       */
      pause(name) {
        paused.add(name);
        signalProcess(name, 'SIGSTOP');
      },
      /** @param {string} name */
      resume(name) {
        signalProcess(name, 'SIGCONT');
        paused.delete(name);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @typedef {Awaited<ReturnType<typeof startKillableProduct>>} KillableProduct */

/**
 * @param {import('../launch/service-list.mjs').Service[]} services
 * @param {number} count
 */
function withWorkers(services, count) {
  const worker = services.find(({ name }) => name === 'trading-worker');
  if (worker === undefined) return services;
  const others = Array.from({ length: count - 1 }, (_, i) => ({
    ...worker,
    name: `trading-worker-${i + 2}`,
  }));
  return [...services, ...others];
}
