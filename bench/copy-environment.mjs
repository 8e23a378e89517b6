/** Starts the product for `copy.mjs`, as `npm start` runs it, with one worker and its own Postgres and Redis. */
import { join } from 'node:path';
import pg from 'pg';
import { ensureKeys } from '../tooling/launch/keys.mjs';
import { freePort } from '../tooling/launch/ports.mjs';
import { ampleRateLimits, listServices, serviceNodeOptions } from '../tooling/launch/service-list.mjs';
import { migrateDatabase, superviseService } from '../tooling/launch/service-processes.mjs';
import { startDurableServers } from './durable-servers.mjs';

/** Exchange limits that no run reaches. Requests are counted as usual. */
const AMPLE = { weightPerMinute: 100_000_000, ordersPer10s: 1_000_000 };

/** Functions that release what was opened; `close` calls the newest first. */
const cleanup = [];

export async function close() {
  while (cleanup.length > 0) await cleanup.pop()();
}

/**
 * As in a deployment, Postgres and Redis write acknowledged data to the disk.
 *
 * @param {{ profileFile?: string | undefined }} options `profileFile`: the file for a CPU profile of the worker; if it is undefined, no
 *   profile is written
 */
export async function startProduct({ profileFile }) {
  const { databaseUrl, redisUrl, folder, stop } = await startDurableServers();
  cleanup.push(stop);
  await migrateDatabase(databaseUrl);
  const keys = await ensureKeys(join(folder, 'keys'));
  const ports = { rest: await freePort(), paperExchange: await freePort() };
  const paperExchangeDir = join(folder, 'paper-exchange');
  const services = listServices({
    databaseUrl,
    redisUrl,
    keys,
    paperExchangeDir,
    ports,
    extraEnv: extraEnvFor(profileFile),
  })
    .filter(({ name }) => name !== 'webhook-dispatcher')
    .map(withAmpleVenues);
  const worker = await startServices(services);
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  cleanup.push(() => database.end());
  const urlOf = (name) => services.find((service) => service.name === name).url;
  return {
    database,
    restUrl: urlOf('rest-api'),
    paperExchangeUrl: urlOf('paper-exchange'),
    /** Starts a profile of the worker, or stops it. */
    switchProfile: () => process.kill(worker.pid, 'SIGUSR2'),
  };
}

function extraEnvFor(profileFile) {
  const profiled = {
    NODE_OPTIONS: `${serviceNodeOptions} --import ${import.meta.resolve('./profile.mjs')}`,
    PROFILE_FILE: profileFile ?? '',
  };
  return {
    'rest-api': { RATE_LIMITS: ampleRateLimits },
    'paper-exchange': {
      WEIGHT_PER_MINUTE: String(AMPLE.weightPerMinute),
      ORDERS_PER_10S: String(AMPLE.ordersPer10s),
      ORDERS_PER_DAY: String(AMPLE.ordersPer10s),
    },
    // Without a profile, the worker runs as in the container image.
    'trading-worker': profileFile === undefined ? {} : profiled,
  };
}

/** Gives the worker the same limits as the exchange. */
function withAmpleVenues(service) {
  if (service.env.VENUES === undefined) return service;
  const venues = JSON.parse(service.env.VENUES).map((venue) => ({ ...venue, limits: AMPLE }));
  return { ...service, env: { ...service.env, VENUES: JSON.stringify(venues) } };
}

/** @returns the worker's process */
async function startServices(services) {
  const running = new Map(services.map((service) => [service.name, superviseService(service, logProblem)]));
  // The services are stopped in reverse order: the exchange ends after its clients.
  for (const name of ['paper-exchange', 'trading-worker', 'rest-api'])
    cleanup.push(() => running.get(name).stop());
  await Promise.all([...running.values()].map((each) => each.untilReady()));
  return running.get('trading-worker');
}

/** Prints a line if it is a warning or an error, or reports that a service ended. */
function logProblem(line) {
  if (/\b(ended|ERROR|FATAL|WARN)\b/i.test(line)) console.error(line.slice(0, 400));
}
