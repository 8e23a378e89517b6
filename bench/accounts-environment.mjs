/** Starts the product for `accounts.mjs` with the published limits of the paper exchange, and fills its database. */
import { join } from 'node:path';
import { Sealer } from '@trading-automation/core/sealing';
import { newUuid } from '@trading-automation/persistence';
import pg from 'pg';
import { ensureKeys } from '../tooling/launch/keys.mjs';
import { freePort } from '../tooling/launch/ports.mjs';
import { ampleRateLimits, listServices } from '../tooling/launch/service-list.mjs';
import { migrateDatabase, superviseService } from '../tooling/launch/service-processes.mjs';
import { mapConcurrently, openVenueAccount } from './copy-venue.mjs';
import { startDurableServers } from './durable-servers.mjs';

const CONCURRENCY = 16;
const ACCOUNTS_PER_USER = 10;

/** Functions that release what was opened; `close` calls the newest first. */
const cleanup = [];

export async function close() {
  while (cleanup.length > 0) await cleanup.pop()();
}

/**
 * @param {{ release?: string | undefined, reconcileEveryMs?: number | undefined }} options `release`: the folder of a built release,
 *   whose worker and paper exchange run instead of this one's; `reconcileEveryMs`: a shortened rotation
 */
export async function startProduct({ release, reconcileEveryMs }) {
  const { databaseUrl, redisUrl, folder, stop } = await startDurableServers();
  cleanup.push(stop);
  await migrateDatabase(databaseUrl);
  const keys = await ensureKeys(join(folder, 'keys'));
  const ports = { rest: await freePort(), paperExchange: await freePort() };
  const metricsPort = await freePort();
  const workerEnv = {
    METRICS_PORT: String(metricsPort),
    ...(reconcileEveryMs === undefined ? {} : { RECONCILE_EVERY_MS: String(reconcileEveryMs) }),
  };
  const services = listServices({
    databaseUrl,
    redisUrl,
    keys,
    paperExchangeDir: join(folder, 'paper-exchange'),
    ports,
    // An older release may not know perpetuals.
    ...(release === undefined ? {} : { paperTradingTypes: ['spot'] }),
    extraEnv: { 'rest-api': { RATE_LIMITS: ampleRateLimits }, 'trading-worker': workerEnv },
  })
    .filter(({ name }) => name !== 'webhook-dispatcher')
    .map((service) => (release === undefined ? service : ofRelease(service, release)));
  const running = new Map(services.map((service) => [service.name, superviseService(service, () => {})]));
  for (const name of ['paper-exchange', 'trading-worker', 'rest-api'])
    cleanup.push(() => running.get(name).stop());
  await Promise.all([...running.values()].map((each) => each.untilReady()));
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  cleanup.push(() => database.end());
  const urlOf = (name) => services.find((service) => service.name === name).url;
  return {
    database,
    sealer: await Sealer.for(keys.exchangeSealing),
    restUrl: urlOf('rest-api'),
    paperExchangeUrl: urlOf('paper-exchange'),
    refusedCalls: () => readRefusedCalls(`http://127.0.0.1:${metricsPort}/metrics`),
  };
}

function ofRelease(service, release) {
  if (service.name === 'rest-api') return service;
  return { ...service, main: join(release, 'apps', service.app, 'dist/main.js') };
}

/**
 * Returns how many calls the worker's budget has refused, by purpose; null if the release does not report it.
 *
 * @param {string} url
 * @returns {Promise<Record<string, number> | null>}
 */
async function readRefusedCalls(url) {
  const response = await fetch(url).catch(() => null);
  if (response === null) return null;
  const text = await response.text();
  const lines = text.matchAll(/^exchange_calls_refused_total\{.*purpose="(\w+)".*\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, purpose, count]) => [purpose, Number(count)]));
}

/**
 * Adds unused accounts, ten for each new user. They are inserted, because a test of the credentials of each would
 * cost more than their streams and reconciliations together.
 */
export async function addAccounts({ database, sealer, paperExchangeUrl }, count) {
  const users = Array.from({ length: Math.ceil(count / ACCOUNTS_PER_USER) }, newUuid);
  await database.query('INSERT INTO users (id) SELECT unnest($1::uuid[])', [users]);
  const rows = await mapConcurrently(Array.from({ length: count }), CONCURRENCY, async (_, i) => {
    const { api_key: apiKey, api_secret: apiSecret } = await openVenueAccount(paperExchangeUrl);
    const id = newUuid();
    const sealed = await sealer.seal(JSON.stringify({ apiKey, apiSecret }), `exchange_account/${id}`);
    return { id, user_id: users[Math.floor(i / ACCOUNTS_PER_USER)], sealed };
  });
  await database.query(
    `INSERT INTO exchange_accounts (id, user_id, exchange, account_name, trading_type, is_active, can_withdraw,
       credentials_sealed, balances)
     SELECT id, user_id, 'paper', 'bench', 'spot', true, false, sealed, '{}'
     FROM jsonb_to_recordset($1) AS account (id uuid, user_id uuid, sealed text)`,
    [JSON.stringify(rows)],
  );
  return rows.map(({ id }) => id);
}
