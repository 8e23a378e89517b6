import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from '../../launch/commands.mjs';
import { ensureKeys } from '../../launch/keys.mjs';
import { root } from '../../launch/paths.mjs';
import { freePort } from '../../launch/ports.mjs';
import { superviseService } from '../../launch/service-processes.mjs';
import { startTestServers } from '../../launch/test-servers.mjs';

/** The processes that act without a request. */
export const workers = ['trading-worker', 'webhook-dispatcher'];
const served = ['rest-api', 'graphql-api', ...workers];

/** Rewards give each user an amount to withdraw. */
const workerEnv = { REWARD_SIGN_UP_AMOUNT: '25' };

/**
 * Starts Postgres, Redis and the paper exchange, and prepares the processes of both releases, which share them.
 *
 * @param {{ previous: string, print: (line: string) => void }} options `previous`: the checkout of the previous release
 */
export async function startReleases({ previous, print }) {
  const folder = mkdtempSync(join(tmpdir(), 'trading-automation-rollout-'));
  /** @type {(() => unknown)[]} */
  const cleanup = [() => rmSync(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const step of cleanup.reverse()) await step();
  };
  try {
    const servers = await startTestServers({ postgres: true, redis: true });
    cleanup.push(() => servers.stop());
    const databaseUrl = /** @type {string} */ (servers.databaseUrl);
    const shared = {
      databaseUrl,
      redisUrl: /** @type {string} */ (servers.redisUrl),
      keys: await ensureKeys(join(folder, 'keys')),
      paperExchangeDir: join(folder, 'paper-exchange'),
      paperExchangePort: await freePort(),
    };
    const releases = {
      old: await openRelease('old', previous, shared, print),
      new: await openRelease('new', root, shared, print),
    };
    cleanup.push(() => releases.old.stop());
    cleanup.push(() => releases.new.stop());
    await releases.new.startVenue();
    return {
      ...releases,
      databaseUrl,
      paperExchangeUrl: `http://127.0.0.1:${shared.paperExchangePort}`,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * @param {'old' | 'new'} name the previous release, or this one
 * @param {string} checkout
 * @param {{
 *   databaseUrl: string, redisUrl: string, keys: import('../../launch/keys.mjs').Keys, paperExchangeDir: string,
 *   paperExchangePort: number,
 * }} shared
 * @param {(line: string) => void} print
 */
async function openRelease(name, checkout, { paperExchangePort, ...shared }, print) {
  // Each release has its own settings, as its deployment would have.
  const { listServices, ampleRateLimits, ampleVenueLimits } =
    /** @type {typeof import('../../launch/service-list.mjs')} */ (
      await import(pathToFileURL(join(checkout, 'tooling/launch/service-list.mjs')).href)
    );
  const limits = { RATE_LIMITS: ampleRateLimits };
  const services = listServices({
    ...shared,
    ports: { rest: await freePort(), graphql: await freePort(), paperExchange: paperExchangePort },
    venueLimits: ampleVenueLimits,
    extraEnv: { 'rest-api': limits, 'graphql-api': limits, 'trading-worker': workerEnv },
  });
  const mainOf = (/** @type {string} */ app) => join(checkout, 'apps', app, 'dist', 'main.js');
  /** @type {Map<string, import('../../launch/service-processes.mjs').ServiceProcess>} */
  const running = new Map();
  const startOne = async (/** @type {string} */ serviceName) => {
    const service = services.find((each) => each.name === serviceName);
    if (service === undefined) throw new Error(`no service ${serviceName}`);
    const started = superviseService({ ...service, main: mainOf(service.app) }, (line) =>
      print(`${name} ${line}`),
    );
    running.set(serviceName, started);
    await started.untilReady();
  };
  const urlOf = (/** @type {string} */ serviceName) =>
    /** @type {string} */ (services.find((each) => each.name === serviceName)?.url);
  return {
    name,
    /** Whether the API does not accept signed requests yet. */
    isHeld: false,
    restUrl: urlOf('rest-api'),
    graphqlUrl: urlOf('graphql-api'),
    startVenue: () => startOne('paper-exchange'),
    async migrate() {
      const env = { ...process.env, NODE_OPTIONS: '', WORLD: 'test', DATABASE_URL: shared.databaseUrl };
      const { code, stdout, stderr } = await run('node', [mainOf('migrator')], { env });
      if (code !== 0) throw new Error(`the migration of the ${name} release failed:\n${stdout}${stderr}`);
    },
    /** @param {readonly string[]} [names] */
    async start(names = served) {
      await Promise.all(names.filter((each) => !running.has(each)).map(startOne));
    },
    /** @param {readonly string[]} [names] */
    async stop(names = [...running.keys()]) {
      await Promise.all(
        names.map(async (each) => {
          await running.get(each)?.stop();
          running.delete(each);
        }),
      );
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof startReleases>>} Releases */
/** @typedef {Awaited<ReturnType<typeof openRelease>>} Release the processes of one release */
