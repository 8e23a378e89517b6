import { join } from 'node:path';
import { openPlatform } from '@trading-automation/core';
import { createCoreDatabase } from '@trading-automation/core/testing';
import { inTransaction } from '@trading-automation/persistence';
import { seeded } from '../chaos/random.mjs';
import { ensureKeys } from '../launch/keys.mjs';
import { createLifecycle } from '../launch/lifecycle.mjs';
import { startServerSupervisor } from '../launch/servers.mjs';
import { migrateDatabase } from '../launch/service-processes.mjs';
import { temporaryFolder } from '../launch/test-servers.mjs';
import { openEventRecord } from './event-record.mjs';
import { openObservation } from './observation.mjs';
import { openPostgres } from './postgres-control.mjs';
import { openRedis } from './redis-control.mjs';
import { openServices } from './services.mjs';
import { createWebhookFactory } from './webhooks.mjs';

/**
 * The input of a fault's run.
 *
 * @template S
 * @typedef {{ size: S, seed: number, isDefended: boolean, print: (line: string) => void }} FaultRun
 */
/**
 * @typedef {{ figures: Record<string, unknown>, violations: string[] }} FaultOutcome
 *   the result of a fault's run; `violations` is empty if the guarantees held
 *
 * @typedef {{
 *   id: string, title: string, target: string, defence: string,
 *   sizes: { short: any, long: any },
 *   run: (run: FaultRun<any>) => Promise<FaultOutcome>,
 * }} Fault
 *   `target`: the figures to reach; `defence`: the defence that is removed if `isDefended` is false; `short` is
 *   for the tests and takes at most about 8 s on an idle machine
 *
 * @typedef {import('./webhooks.mjs').FaultWebhook} FaultWebhook
 *
 * @typedef {{
 *   seed: number, redis?: 'appendonly' | 'plain', redisMaxMemory?: string, ownPostgres?: boolean,
 *   postgresSettings?: readonly string[], settings?: Record<string, string>,
 * }} EnvironmentOptions `settings` apply to every dispatcher
 */

/**
 * Opens the test environment of one fault: its own database and Redis, webhooks, a record of the committed events, and
 * functions that start the built services. The services are never restarted automatically.
 *
 * The database is created in the Postgres of TEST_DATABASE_URL. With `ownPostgres`, the environment gets its own
 * Postgres server, which the fault can stop.
 *
 * @param {EnvironmentOptions} options
 */
export async function openFaultEnvironment(options) {
  const lifecycle = createLifecycle();
  try {
    return await createEnvironment(options, lifecycle);
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}

/** @typedef {Awaited<ReturnType<typeof openFaultEnvironment>>} FaultEnvironment */

/**
 * @param {EnvironmentOptions} options
 * @param {import('../launch/lifecycle.mjs').Lifecycle} lifecycle
 */
async function createEnvironment(options, lifecycle) {
  const { seed, settings = {} } = options;
  const { folder, redis, databaseUrl, postgres } = await openServers(options, lifecycle);
  const keys = await ensureKeys(join(folder, 'keys'));
  const platform = await openPlatform({
    world: 'test',
    databaseUrl,
    applicationName: 'fault-environment',
    onListenerError: () => undefined,
  });
  await lifecycle.defer(() => platform.close());
  /** @type {import('./webhooks.mjs').Query} */
  const query = (text, ...params) => platform.database.query(text, params);
  const eventRecord = openEventRecord(platform);
  const { webhooks, addWebhooks } = createWebhookFactory({ query, keys });
  const paperExchangeDir = join(folder, 'paper-exchange');
  const serviceOptions = { databaseUrl, redisUrl: redis.url, keys, paperExchangeDir };
  return {
    databaseUrl,
    redisUrl: redis.url,
    /** A folder for the data of further servers; it is removed when the environment closes. */
    folder,
    query,
    random: seeded(seed),
    redis,
    /** The Postgres server of this environment. @throws without `ownPostgres` */
    get postgres() {
      if (postgres === undefined)
        throw new Error('this environment has no Postgres of its own; set ownPostgres: true');
      return postgres;
    },
    webhooks,
    addWebhooks,
    eventRecord,
    emit: eventRecord.emit,
    emitMany: eventRecord.emitMany,
    ...openServices({ serviceOptions, settings, seed, lifecycle, query }),
    ...openObservation({ query, eventRecord, webhooks }),
    /**
     * Blocks all changes of deliveries for `ms` milliseconds.
     *
     * @param {number} ms
     */
    async blockDeliveries(ms) {
      const block = /** @param {import('@trading-automation/persistence').Tx} tx */ async (tx) => {
        await tx.query('LOCK TABLE webhook_deliveries IN EXCLUSIVE MODE');
        await tx.query('SELECT pg_sleep($1)', [ms / 1_000]);
      };
      // By default, a statement may not take as long as the longest block.
      await inTransaction(platform.database, block, { statementTimeoutMs: ms + 10_000 });
    },
    /** Stops all services and servers. */
    async close() {
      const failures = await lifecycle.stop();
      if (failures.length > 0) throw new AggregateError(failures, 'could not stop the fault environment');
    },
  };
}

/**
 * @param {EnvironmentOptions} options
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
  // This supervisor runs no server: it only removes the folder, even if this process is killed.
  const supervisor = startServerSupervisor(() => undefined);
  supervisor.removeAfterwards(folder);
  await lifecycle.defer(() => supervisor.stop());
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
