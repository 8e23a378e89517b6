/**
 * Tests that a Redis which lost nonces accepts no signed request until every earlier request has expired. Each process is
 * represented by its own connections and its own epoch; Postgres and Redis are real servers.
 */
import { randomBytes } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { openPlatform } from '@trading-automation/core';
import { createRateLimitStore, NonceEpoch } from '@trading-automation/core/access';
import { createCoreDatabase } from '@trading-automation/core/testing';
import { Redis } from 'ioredis';
import { createClient, outcomeOf } from '../launch/first-trade/client.mjs';
import { startServerSupervisor } from '../launch/servers.mjs';
import { temporaryFolder } from '../launch/test-servers.mjs';
import { openFaultEnvironment } from './environment.mjs';
import { openRedis } from './redis-control.mjs';

const untilDeadlineMs = 20_000;
/** The request of a nonce takes no token. */
const noBuckets = { keys: [], set: { policies: [], amounts: [], header: '' } };

/** @type {(() => Promise<unknown>)[]} */
let closers = [];
/** @type {string} */
let folder;
/** Removes the folder, even if this process is killed. @type {ReturnType<typeof startServerSupervisor>} */
let supervisor;
/** @type {Awaited<ReturnType<typeof createCoreDatabase>>} */
let database;

beforeEach(async () => {
  folder = temporaryFolder();
  supervisor = startServerSupervisor(() => undefined);
  supervisor.removeAfterwards(folder);
  database = await createCoreDatabase();
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
  await database.drop();
  await supervisor.stop();
});

/** @param {'appendonly' | 'plain'} mode */
async function startRedis(mode) {
  const redis = await openRedis({ folder, mode });
  closers.push(() => redis.close());
  return redis;
}

/**
 * Opens what an API process has: connections to Postgres and Redis, and its epoch.
 *
 * @param {{ url: string }} redis
 */
async function openProcess(redis) {
  const platform = await openPlatform({
    world: 'test',
    databaseUrl: database.url,
    applicationName: 'nonces-spec',
    poolSize: 2,
    onListenerError: () => undefined,
  });
  const client = new Redis(redis.url, {
    commandTimeout: 2_000,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    lazyConnect: true,
    retryStrategy: () => 50,
  });
  client.on('error', () => undefined);
  await client.connect();
  const epoch = await NonceEpoch.open(platform.database, client);
  const store = createRateLimitStore(client, epoch);
  closers.push(async () => {
    await epoch.close();
    client.disconnect();
    await platform.close();
  });
  return {
    query: (/** @type {string} */ sql, /** @type {unknown[]} */ params = []) =>
      platform.database.query(sql, params),
    epoch,
    /**
     * Sends a signed request with this nonce. @param {string} nonce
     * @returns {Promise<{ outcome: 'accepted' | 'replayed' | 'refused', retryAfterSeconds?: number }>}
     */
    async send(nonce) {
      try {
        const claim = { publicKey: '02'.padEnd(66, 'a'), nonce, ttlMs: 600_000 };
        const taken = await store.takeWithNonce(noBuckets, claim);
        return { outcome: taken === null ? 'replayed' : 'accepted' };
      } catch (error) {
        return { outcome: 'refused', retryAfterSeconds: /** @type {any} */ (error).retryAfterSeconds };
      }
    },
  };
}
/** @typedef {Awaited<ReturnType<typeof openProcess>>} TestProcess */

const newNonce = () => randomBytes(16).toString('hex');

/**
 * Repeats a call until it returns true.
 *
 * @param {() => Promise<boolean>} isDone
 */
async function until(isDone) {
  const deadline = performance.now() + untilDeadlineMs;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error('timed out');
    await wait(50);
  }
}

/**
 * Sends requests until one is accepted, and returns its nonce. Each has another nonce: Redis may have recorded the nonce of a
 * request whose response was lost.
 *
 * @param {TestProcess} process
 */
async function untilAccepted(process) {
  let nonce = '';
  await until(async () => {
    nonce = newNonce();
    return (await process.send(nonce)).outcome === 'accepted';
  });
  return nonce;
}

/** Waits until the hold has begun. @param {TestProcess} process */
const untilHeld = ({ query }) =>
  until(async () => (await query('SELECT next_epoch FROM nonce_memory'))[0]?.next_epoch !== null);

/**
 * Lets the hold begin that many seconds earlier.
 *
 * @param {TestProcess} process
 * @param {number} seconds
 */
const shiftHold = ({ query }, seconds) =>
  query("UPDATE nonce_memory SET next_seen_at = next_seen_at - $1 * interval '1 second'", [seconds]);

/**
 * Asserts that processes refuse signed requests for 120 s, and accept new ones after that.
 *
 * @param {readonly TestProcess[]} processes
 * @param {string} used a nonce that was accepted before
 */
async function expectHold(processes, used) {
  const first = /** @type {TestProcess} */ (processes[0]);
  // Whether the first request after the change is a replay or not, it is refused. Each process reconnects on its own.
  for (const process of processes)
    await until(async () => (await process.send(used)).retryAfterSeconds !== undefined);
  await untilHeld(first);
  for (const process of processes) {
    await process.epoch.refresh();
    for (const nonce of [used, newNonce()]) {
      const { outcome, retryAfterSeconds } = await process.send(nonce);
      expect(outcome).toBe('refused');
      expect(retryAfterSeconds).toBeGreaterThan(100);
      expect(retryAfterSeconds).toBeLessThanOrEqual(120);
    }
  }
  await shiftHold(first, 110);
  for (const process of processes) {
    await process.epoch.refresh();
    expect((await process.send(newNonce())).outcome).toBe('refused');
    expect(process.epoch.isConfirmed).toBe(false);
  }
  await shiftHold(first, 10);
  for (const process of processes) {
    await process.epoch.refresh();
    expect((await process.send(newNonce())).outcome).toBe('accepted');
    expect(process.epoch.isConfirmed).toBe(true);
  }
  const [row] = await first.query('SELECT next_epoch, restarted_server FROM nonce_memory');
  expect(row).toEqual({ next_epoch: null, restarted_server: null });
}

describe('the first processes on an empty database', () => {
  it('accept signed requests at once, and each nonce in one of them', async () => {
    const redis = await startRedis('plain');
    const processes = await Promise.all(Array.from({ length: 6 }, () => openProcess(redis)));
    const nonce = newNonce();
    const results = await Promise.all(processes.flatMap((each) => [each.send(nonce), each.send(nonce)]));
    expect(results.map(({ outcome }) => outcome).sort()).toEqual(['accepted', ...Array(11).fill('replayed')]);
  });
});

describe('a database with public keys whose nonces no Redis is known to hold', () => {
  it('has its signed requests refused for 120 s', async () => {
    const redis = await startRedis('plain');
    const probe = await openProcess(redis);
    await probe.query("INSERT INTO users (id) VALUES ('0190a0b0-0000-7000-8000-000000000001')");
    await probe.query(
      `INSERT INTO public_keys (id, user_id, pubkey)
       VALUES ('0190a0b0-0000-7000-8000-000000000002', '0190a0b0-0000-7000-8000-000000000001', '02aa')`,
    );
    await probe.query('DELETE FROM nonce_memory');
    await probe.epoch.refresh();
    await expectHold([probe, await openProcess(redis)], newNonce());
  });
});

describe('signed requests are refused for 120 s in every process', () => {
  it('after FLUSHALL', async () => {
    const redis = await startRedis('plain');
    const processes = [await openProcess(redis), await openProcess(redis)];
    const nonce = newNonce();
    expect((await processes[0].send(nonce)).outcome).toBe('accepted');
    await redis.flush();
    // The first request after the loss is a replay, in the process that did not see the original.
    expect((await processes[1].send(nonce)).outcome).toBe('refused');
    await expectHold(processes, nonce);
  }, 60_000);

  it('again from the beginning, if Redis is emptied during that time', async () => {
    const redis = await startRedis('plain');
    const process = await openProcess(redis);
    const nonce = newNonce();
    await process.send(nonce);
    await redis.flush();
    await process.send(nonce);
    await untilHeld(process);
    await shiftHold(process, 119);
    await redis.flush();
    await expectHold([process], nonce);
  }, 60_000);

  it('after Redis restarted without persistence', async () => {
    const redis = await startRedis('plain');
    const processes = [await openProcess(redis), await openProcess(redis)];
    const nonce = newNonce();
    expect((await processes[0].send(nonce)).outcome).toBe('accepted');
    await redis.kill();
    await redis.start();
    await expectHold(processes, nonce);
  }, 60_000);

  it('after Redis was restored from a copy that lacks nonces', async () => {
    const redis = await startRedis('appendonly');
    const processes = [await openProcess(redis), await openProcess(redis)];
    expect((await processes[0].send(newNonce())).outcome).toBe('accepted');
    await redis.kill();
    const [data, copy] = [`${folder}/redis-${redis.port}`, `${folder}/copy`];
    cpSync(data, copy, { recursive: true });
    await redis.start();
    const nonce = await untilAccepted(processes[0]);
    await redis.kill();
    rmSync(data, { recursive: true });
    cpSync(copy, data, { recursive: true });
    await redis.start();
    await expectHold(processes, nonce);
  }, 60_000);

  it('after a replica was promoted', async () => {
    const [primary, replica] = [await startRedis('plain'), await startRedis('plain')];
    const before = await openProcess(primary);
    await replica.becomeReplicaOf(primary.port);
    // A server gets a new replication id when its first replica connects, and is settled like a restarted one.
    const nonce = await untilAccepted(before);
    await primary.kill();
    await replica.becomePrimary();
    const after = await openProcess(replica);
    await expectHold([after], nonce);
  }, 60_000);
});

describe('a Redis that restarts with its own log', () => {
  it('still rejects a used nonce, and accepts others without the wait of 120 s', async () => {
    const redis = await startRedis('appendonly');
    const processes = [await openProcess(redis), await openProcess(redis)];
    const nonce = newNonce();
    expect((await processes[0].send(nonce)).outcome).toBe('accepted');
    await redis.kill();
    await redis.start();
    for (const process of processes) {
      await untilAccepted(process);
      expect((await process.send(nonce)).outcome).toBe('replayed');
    }
    const [{ epochs }] = await processes[0].query(
      'SELECT count(next_epoch)::int AS epochs FROM nonce_memory',
    );
    expect(epochs).toBe(0);
  }, 60_000);
});

describe('the API, while its Redis is emptied', () => {
  it('refuses signed requests with Retry-After, serves API keys, and accepts signed requests after 120 s', async () => {
    const environment = await openFaultEnvironment({ seed: 1 });
    try {
      const { url } = await environment.startApi();
      const { api, privateKey } = await environment.openUser(url, 'signer');
      const { key } = await api.apiKeys.create({ name: 'key' });
      const signing = createClient({ restUrl: url, privateKey, maxRetries: 0 });
      const keyed = createClient({ restUrl: url, apiKey: key, maxRetries: 0 });
      await environment.redis.flush();
      const refused = await outcomeOf(signing.me.get());
      expect(refused).toMatchObject({ status: 503, code: 'service_unavailable' });
      await until(async () => {
        const { headers } = /** @type {any} */ (await outcomeOf(signing.me.get()));
        return Number(headers.get('retry-after')) > 100;
      });
      expect(await keyed.me.get()).toMatchObject({ world: 'test' });
      await environment.query("UPDATE nonce_memory SET next_seen_at = next_seen_at - interval '121 s'");
      await until(async () => (await outcomeOf(signing.me.get())).status !== 503);
      expect(await signing.me.get()).toMatchObject({ world: 'test' });
    } finally {
      await environment.close();
    }
  }, 60_000);
});
