/** Starts one dispatcher for `webhooks.mjs`, as it is deployed, with a durable Postgres and a durable Redis. */
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { encodeId } from '@trading-automation/contracts';
import { openPlatform } from '@trading-automation/core';
import { Sealer } from '@trading-automation/core/sealing';
import { newUuid } from '@trading-automation/persistence';
import { ensureKeys } from '../tooling/launch/keys.mjs';
import { listServices } from '../tooling/launch/service-list.mjs';
import { migrateDatabase, superviseService } from '../tooling/launch/service-processes.mjs';
import { startDurableServers } from './durable-servers.mjs';

/** @typedef {{ id: string, userId: string, publicId: string, path: string, secret: string }} BenchWebhook */

/** Functions that release what was opened; `close` calls the newest first. */
const cleanup = [];

export async function close() {
  while (cleanup.length > 0) await cleanup.pop()();
}

/** @param {{ users: number, webhooksPerUser: number, concurrency: number, profileFile?: string | undefined }} options */
export async function startEnvironment({ users, webhooksPerUser, concurrency, profileFile }) {
  const { databaseUrl, redisUrl, folder, stop } = await startDurableServers({
    postgresSettings: profileFile === undefined ? [] : ['shared_preload_libraries=pg_stat_statements'],
  });
  cleanup.push(stop);
  await migrateDatabase(databaseUrl);
  const keys = await ensureKeys(join(folder, 'keys'));
  const receiver = await startReceiver();
  const platform = await openPlatform({
    world: 'test',
    databaseUrl,
    applicationName: 'bench',
    onListenerError: (error) => console.error(error),
  });
  cleanup.push(() => platform.close());
  const sealer = await Sealer.for(keys.webhookSealing);
  const webhooks = await addWebhooks({ platform, sealer, receiverUrl: receiver.url, users, webhooksPerUser });
  const service = dispatcherService({ databaseUrl, redisUrl, keys, concurrency, profileFile });
  const dispatcher = superviseService(service, logProblem);
  cleanup.push(() => dispatcher.stop());
  await dispatcher.untilReady();
  if (profileFile !== undefined) await platform.database.query('CREATE EXTENSION pg_stat_statements');
  return {
    database: platform.database,
    concurrency,
    redisUrl,
    receiver,
    webhooks,
    baselines: { queue: startBaseline(service), loop: startBaseline(service) },
    /** Starts a profile of the dispatcher, or stops it. */
    switchProfile: () => process.kill(dispatcher.pid, 'SIGUSR2'),
  };
}

/** Returns the dispatcher as the image runs it, with the same concurrency as the baselines. */
function dispatcherService({ databaseUrl, redisUrl, keys, concurrency, profileFile }) {
  const ports = { rest: 0, paperExchange: 0 };
  const extraEnv = { 'webhook-dispatcher': { DELIVERY_CONCURRENCY: String(concurrency) } };
  const services = listServices({ databaseUrl, redisUrl, keys, paperExchangeDir: '', ports, extraEnv });
  const service = services.find(({ name }) => name === 'webhook-dispatcher');
  if (profileFile === undefined) return service;
  const preload = `--import ${import.meta.resolve('./profile.mjs')}`;
  const options = [service.env.NODE_OPTIONS, preload].filter(Boolean).join(' ');
  return { ...service, env: { ...service.env, NODE_OPTIONS: options, PROFILE_FILE: profileFile } };
}

/** Creates webhooks, each with its own URL. @returns {Promise<BenchWebhook[]>} */
async function addWebhooks({ platform, sealer, receiverUrl, users, webhooksPerUser }) {
  const webhooks = [];
  for (let user = 0; user < users; user++) {
    const userId = newUuid();
    await platform.database.query('INSERT INTO users (id) VALUES ($1)', [userId]);
    for (let index = 0; index < webhooksPerUser; index++) {
      const id = newUuid();
      const publicId = encodeId('whk', id);
      const path = `/hooks/${publicId}`;
      const secret = `whsec_${createHash('sha256').update(`bench webhook ${user} ${index}`).digest('base64')}`;
      await platform.database.query(
        `INSERT INTO webhooks (id, user_id, url, events, description, secret_sealed) VALUES ($1, $2, $3, '{*}', '', $4)`,
        [id, userId, receiverUrl + path, await sealer.seal(secret, `webhook/${id}`)],
      );
      webhooks.push({ id, userId, publicId, path, secret });
    }
  }
  return webhooks;
}

async function startReceiver() {
  const child = startChild('webhooks-receiver.mjs', {});
  const [port] = await once(child, 'message');
  return {
    url: `http://127.0.0.1:${port}`,
    /**
     * @param {import('./webhooks-receiver.mjs').Expected} expected
     * @returns {Promise<() => Promise<import('./webhooks-receiver.mjs').ReceiverReport>>} resolves once the receiver has started to count;
     *   the returned function waits for all deliveries
     */
    async expect(expected) {
      child.send(expected);
      await once(child, 'message');
      const all = once(child, 'message');
      return async () => (await all)[0];
    },
  };
}

/** Starts a baseline with the Node options of the dispatcher. Like the dispatcher, it runs for all rounds. */
function startBaseline({ env: { NODE_OPTIONS = '' } }) {
  const child = startChild('webhooks-baseline.mjs', {
    NODE_OPTIONS: NODE_OPTIONS.replace(/--import \S+/, ''),
  });
  return async (/** @type {object} */ round) => {
    child.send(round);
    const [result] = await once(child, 'message');
    return result;
  };
}

function startChild(script, env) {
  const child = fork(join(import.meta.dirname, script), [], {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  const ended = once(child, 'exit');
  cleanup.push(async () => {
    child.kill();
    await ended;
  });
  return child;
}

/** Prints the dispatcher's warnings and errors, and the line that reports that it ended. */
function logProblem(line) {
  if (/\b(ended|ERROR|FATAL|WARN)\b/i.test(line) && !/SMTP_URL/.test(line)) console.error(line.slice(0, 400));
}
