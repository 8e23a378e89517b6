import { join } from 'node:path';
import { openPlatform } from '@trading-automation/core';
import { createCoreDatabase } from '@trading-automation/core/testing';
import { seeded } from '../chaos/random.mjs';
import { ensureKeys } from '../launch/keys.mjs';
import { createLifecycle } from '../launch/lifecycle.mjs';
import { startKeeper } from '../launch/servers.mjs';
import { migrateDatabase } from '../launch/service-processes.mjs';
import { temporaryFolder } from '../launch/test-servers.mjs';
import { openHooks } from './hooks.mjs';
import { openLedger } from './ledger.mjs';
import { openObservation } from './observation.mjs';
import { openPostgres } from './postgres-control.mjs';
import { openRedis } from './redis-control.mjs';
import { openServices } from './services-of-world.mjs';

/**
 * The input and the result of a fault's run. `verdict` names what is wrong; it is empty if the defence held.
 *
 * @template S
 * @typedef {{ size: S, seed: number, isDefended: boolean, say: (line: string) => void }} FaultRun
 */
/**
 * @typedef {{ figures: Record<string, unknown>, verdict: string[] }} FaultOutcome
 *
 * @typedef {{
 *   id: string, title: string, target: string, defence: string,
 *   sizes: { short: any, long: any },
 *   run: (run: FaultRun<any>) => Promise<FaultOutcome>,
 * }} Fault
 *   `target`: the figure to reach; `defence`: what is taken away where `isDefended` is false; `short` takes at most
 *   8 s or so on an idle machine, for the tests
 *
 * @typedef {import('./hooks.mjs').FaultHook} FaultHook
 *
 * @typedef {{
 *   seed: number, redis?: 'appendonly' | 'plain', redisMaxMemory?: string, ownPostgres?: boolean,
 *   postgresSettings?: readonly string[], settings?: Record<string, string>,
 * }} WorldOptions `settings` are those of every dispatcher
 */

/**
 * A part of the product for one fault: a database and a Redis of its own, webhooks, a ledger of events, and built
 * services that are begun once and killed on purpose.
 *
 * Its database lies in the Postgres of TEST_DATABASE_URL, unless `ownPostgres` asks for one that can be mistreated.
 *
 * @param {WorldOptions} options
 */
export async function openFaultWorld(options) {
  const lifecycle = createLifecycle();
  try {
    return await build(options, lifecycle);
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}

/** @typedef {Awaited<ReturnType<typeof openFaultWorld>>} FaultWorld */

/**
 * @param {WorldOptions} options
 * @param {import('../launch/lifecycle.mjs').Lifecycle} lifecycle
 */
async function build(options, lifecycle) {
  const { seed, settings = {} } = options;
  const { folder, redis, databaseUrl, postgres } = await openServers(options, lifecycle);
  const keys = await ensureKeys(join(folder, 'keys'));
  const platform = await openPlatform({
    world: 'test',
    databaseUrl,
    applicationName: 'fault-world',
    onListenerError: () => undefined,
  });
  await lifecycle.defer(() => platform.close());
  /** @type {import('./hooks.mjs').Query} */
  const query = (text, ...params) => platform.database.query(text, params);
  const ledger = openLedger(platform);
  const { hooks, addHooks } = openHooks({ query, keys });
  const paperExchangeDir = join(folder, 'paper-exchange');
  const surroundings = { databaseUrl, redisUrl: redis.url, keys, paperExchangeDir };
  return {
    databaseUrl,
    redisUrl: redis.url,
    /** Removed in the end, for servers that are added. */
    folder,
    query,
    random: seeded(seed),
    redis,
    /** The Postgres of this world alone. @throws where it was not asked for */
    get postgres() {
      if (postgres === undefined) throw new Error('this world shares its Postgres: ask for ownPostgres');
      return postgres;
    },
    hooks,
    addHooks,
    ledger,
    emit: ledger.emit,
    emitMany: ledger.emitMany,
    ...openServices({ surroundings, settings, seed, lifecycle, query }),
    ...openObservation({ query, ledger, hooks }),
    /** Ends all that was begun. */
    async close() {
      const failures = await lifecycle.stop();
      if (failures.length > 0) throw new AggregateError(failures, 'the world of a fault did not end well');
    },
  };
}

/**
 * @param {WorldOptions} options
 * @param {import('../launch/lifecycle.mjs').Lifecycle} lifecycle
 */
async function openServers(options, lifecycle) {
  const { redis: mode = 'plain', redisMaxMemory: maxMemory } = options;
  const folder = await openFolder(lifecycle);
  const redis = await openRedis({ folder, mode, ...(maxMemory === undefined ? {} : { maxMemory }) });
  await lifecycle.defer(() => redis.close());
  const { url: databaseUrl, postgres } = await openDatabase(options, folder, lifecycle);
  return { folder, redis, databaseUrl, postgres };
}

/** @param {import('../launch/lifecycle.mjs').Lifecycle} lifecycle */
async function openFolder(lifecycle) {
  const folder = temporaryFolder();
  // A keeper of nothing else removes the folder, also where this process is killed.
  const keeper = startKeeper(() => undefined);
  keeper.removeAfterwards(folder);
  await lifecycle.defer(() => keeper.stop());
  return folder;
}

/**
 * @param {{ ownPostgres?: boolean, postgresSettings?: readonly string[] }} options
 * @param {string} folder
 * @param {import('../launch/lifecycle.mjs').Lifecycle} lifecycle
 */
async function openDatabase({ ownPostgres = false, postgresSettings = [] }, folder, lifecycle) {
  if (!ownPostgres) {
    const database = await createCoreDatabase();
    await lifecycle.defer(() => database.drop());
    return { url: database.url, postgres: undefined };
  }
  const postgres = await openPostgres({ folder, settings: postgresSettings });
  await lifecycle.defer(() => postgres.close());
  await migrateDatabase(postgres.url);
  return { url: postgres.url, postgres };
}
