/** What `copy.mjs` measures: the product as `npm start` runs it, one worker, on a Postgres and a Redis of its own. */
import { join } from 'node:path';
import pg from 'pg';
import { ensureKeys } from '../tooling/launch/keys.mjs';
import { freePort } from '../tooling/launch/ports.mjs';
import { ampleRateLimits, listServices, serviceNodeOptions } from '../tooling/launch/service-list.mjs';
import { migrateDatabase, superviseService } from '../tooling/launch/service-processes.mjs';
import { startDurableServers } from './durable-servers.mjs';

/** Beyond what a run asks for: limits are counted as ever, and not met. */
const AMPLE = { weightPerMinute: 100_000_000, ordersPer10s: 1_000_000 };

/** What is let go of in the end, the latest first. */
const closers = [];

export async function close() {
  while (closers.length > 0) await closers.pop()();
}

/**
 * Everything acknowledged is on its way to the disk, as in a deployment.
 *
 * @param {{ profileFile?: string | undefined }} options where the worker's profile goes, if it is to be profiled
 */
export async function startProduct({ profileFile }) {
  const { databaseUrl, redisUrl, folder, stop } = await startDurableServers();
  closers.push(stop);
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
  closers.push(() => database.end());
  const urlOf = (name) => services.find((service) => service.name === name).url;
  return {
    database,
    restUrl: urlOf('rest-api'),
    paperExchangeUrl: urlOf('paper-exchange'),
    /** Begins a profile of the worker, or ends it. */
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
    // As the image runs it.
    'trading-worker': profileFile === undefined ? {} : profiled,
  };
}

/** The worker spends from the same limits as the exchange counts. */
function withAmpleVenues(service) {
  if (service.env.VENUES === undefined) return service;
  const venues = JSON.parse(service.env.VENUES).map((venue) => ({ ...venue, limits: AMPLE }));
  return { ...service, env: { ...service.env, VENUES: JSON.stringify(venues) } };
}

/** @returns the worker's process */
async function startServices(services) {
  const running = new Map(services.map((service) => [service.name, superviseService(service, logProblem)]));
  // The exchange ends after those who speak to it.
  for (const name of ['paper-exchange', 'trading-worker', 'rest-api'])
    closers.push(() => running.get(name).stop());
  await Promise.all([...running.values()].map((each) => each.untilReady()));
  return running.get('trading-worker');
}

/** What is worth knowing in a run: services that end, and what they log of trouble. */
function logProblem(line) {
  if (/\b(ended|ERROR|FATAL|WARN)\b/i.test(line)) console.error(line.slice(0, 400));
}
