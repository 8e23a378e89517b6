/** What `webhooks.mjs` measures: one dispatcher as it is deployed, on a durable Postgres and a durable Redis. */
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

/** @typedef {{ id: string, userId: string, publicId: string, path: string, secret: string }} Hook */

/** What is let go of in the end, the latest first. */
const closers = [];

export async function close() {
  while (closers.length > 0) await closers.pop()();
}

/** @param {{ users: number, webhooksPerUser: number, concurrency: number, profileFile?: string | undefined }} options */
export async function startEnvironment({ users, webhooksPerUser, concurrency, profileFile }) {
  const { databaseUrl, redisUrl, folder, stop } = await startDurableServers({
    postgresSettings: profileFile === undefined ? [] : ['shared_preload_libraries=pg_stat_statements'],
  });
  closers.push(stop);
  await migrateDatabase(databaseUrl);
  const keys = await ensureKeys(join(folder, 'keys'));
  const receiver = await startReceiver();
  const platform = await openPlatform({
    world: 'test',
    databaseUrl,
    applicationName: 'bench',
    onListenerError: (error) => console.error(error),
  });
  closers.push(() => platform.close());
  const sealer = await Sealer.for(keys.webhookSealing);
  const hooks = await addWebhooks({ platform, sealer, receiverUrl: receiver.url, users, webhooksPerUser });
  const service = dispatcherService({ databaseUrl, redisUrl, keys, concurrency, profileFile });
  const dispatcher = superviseService(service, logProblem);
  closers.push(() => dispatcher.stop());
  await dispatcher.untilReady();
  if (profileFile !== undefined) await platform.database.query('CREATE EXTENSION pg_stat_statements');
  return {
    database: platform.database,
    concurrency,
    redisUrl,
    receiver,
    hooks,
    peers: { queue: startPeer(service), loop: startPeer(service) },
    /** Begins a profile of the dispatcher, or ends it. */
    switchProfile: () => process.kill(dispatcher.pid, 'SIGUSR2'),
  };
}

/** As the image runs it; how many it makes at once is said to it as to the peers. */
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

/** Each has a URL of its own, as customers have. @returns {Promise<Hook[]>} */
async function addWebhooks({ platform, sealer, receiverUrl, users, webhooksPerUser }) {
  const hooks = [];
  for (let user = 0; user < users; user++) {
    const userId = newUuid();
    await platform.database.query('INSERT INTO users (id) VALUES ($1)', [userId]);
    for (let nth = 0; nth < webhooksPerUser; nth++) {
      const id = newUuid();
      const publicId = encodeId('whk', id);
      const path = `/hooks/${publicId}`;
      const secret = `whsec_${createHash('sha256').update(`bench webhook ${user} ${nth}`).digest('base64')}`;
      await platform.database.query(
        `INSERT INTO webhooks (id, user_id, url, events, description, secret_sealed) VALUES ($1, $2, $3, '{*}', '', $4)`,
        [id, userId, receiverUrl + path, await sealer.seal(secret, `webhook/${id}`)],
      );
      hooks.push({ id, userId, publicId, path, secret });
    }
  }
  return hooks;
}

async function startReceiver() {
  const child = startChild('webhooks-receiver.mjs', {});
  const [port] = await once(child, 'message');
  return {
    url: `http://127.0.0.1:${port}`,
    /**
     * @param {import('./webhooks-receiver.mjs').Expected} expected
     * @returns {Promise<() => Promise<import('./webhooks-receiver.mjs').Seen>>} once it counts; what that gives, once all are there
     */
    async expect(expected) {
      child.send(expected);
      await once(child, 'message');
      const all = once(child, 'message');
      return async () => (await all)[0];
    },
  };
}

/** With the dispatcher's flags, and warm from round to round as the dispatcher is. */
function startPeer({ env: { NODE_OPTIONS = '' } }) {
  const child = startChild('webhooks-baseline.mjs', {
    NODE_OPTIONS: NODE_OPTIONS.replace(/--import \S+/, ''),
  });
  return async (/** @type {object} */ asked) => {
    child.send(asked);
    const [answer] = await once(child, 'message');
    return answer;
  };
}

function startChild(script, env) {
  const child = fork(join(import.meta.dirname, script), [], {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  const ended = once(child, 'exit');
  closers.push(async () => {
    child.kill();
    await ended;
  });
  return child;
}

/** What is worth knowing in a run: a dispatcher that ends, and what it logs of trouble. */
function logProblem(line) {
  if (/\b(ended|ERROR|FATAL|WARN)\b/i.test(line) && !/SMTP_URL/.test(line)) console.error(line.slice(0, 400));
}
