/** Starts the whole product for `fairness.mjs`, with a venue that never responds beside the paper exchange. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createClient, openAccount } from '../tooling/launch/first-trade/client.mjs';
import { openPaperAccount, pairNamed, pairsOf, until } from '../tooling/launch/first-trade/scenario.mjs';
import { ensureKeys } from '../tooling/launch/keys.mjs';
import { freePort } from '../tooling/launch/ports.mjs';
import { generatePrivateKey } from '../tooling/launch/sdk.mjs';
import { ampleVenueLimits, listServices } from '../tooling/launch/service-list.mjs';
import { migrateDatabase, superviseService } from '../tooling/launch/service-processes.mjs';
import { startTestServers } from '../tooling/launch/test-servers.mjs';

/** Functions that release what was opened; `close` calls the newest first. */
const cleanup = [];

/** Calls `release` at the end of the run. */
export const atEnd = (release) => void cleanup.push(release);

export async function close() {
  while (cleanup.length > 0) await cleanup.pop()();
}

/**
 * Starts the product at the published rate limits of the API. The limits of the venue are raised, because how users share
 * them is not measured here.
 */
export async function startEnvironment() {
  const folder = mkdtempSync(join(tmpdir(), 'trading-automation-fairness-'));
  cleanup.push(() => rmSync(folder, { recursive: true, force: true }));
  const servers = await startTestServers({ postgres: true, redis: true });
  cleanup.push(servers.stop);
  await migrateDatabase(servers.databaseUrl);
  const database = new pg.Client({ connectionString: servers.databaseUrl });
  await database.connect();
  cleanup.push(() => database.end());
  const ports = { rest: await freePort(), graphql: await freePort(), paperExchange: await freePort() };
  const silentPort = await listen((socket) => socket.on('error', () => undefined));
  const services = listServices({
    ...servers,
    keys: await ensureKeys(join(folder, 'keys')),
    paperExchangeDir: join(folder, 'paper-exchange'),
    ports,
    venueLimits: ampleVenueLimits,
  });
  const worker = services.find(({ name }) => name === 'trading-worker');
  const [paper] = JSON.parse(worker.env.VENUES);
  const silent = { ...paper, id: 'silent', name: 'Silent', url: `http://127.0.0.1:${silentPort}` };
  worker.env.VENUES = JSON.stringify([paper, silent]);
  const running = services.map((service) => superviseService(service, printEnd));
  cleanup.push(() => Promise.all(running.map((each) => each.stop())));
  await Promise.all(running.map((each) => each.untilReady()));
  // Only certified venues are offered, which this one is not.
  await database.query("UPDATE supported_exchanges SET is_active = true WHERE code = 'silent'");
  const urlOf = (name) => services.find((service) => service.name === name).url;
  return {
    database,
    restUrl: urlOf('rest-api'),
    graphqlUrl: urlOf('graphql-api'),
    paperExchangeUrl: urlOf('paper-exchange'),
    /** The URL of a receiver that responds at once, and of one that never responds. */
    receiverUrl: `http://127.0.0.1:${await listen(respondAtOnce)}`,
    silentUrl: `http://127.0.0.1:${silentPort}`,
  };
}

/** Prints why a service ended; it is restarted, but the measurement is worthless. */
function printEnd(line) {
  if (/\bfatal\b|ended \(|event=process\./.test(line)) console.error(line);
}

/** Opens a user with an API key and a funded account at the paper exchange. */
export async function openTrader({ restUrl, paperExchangeUrl }, name) {
  const privateKey = generatePrivateKey();
  const { api: signed } = await openAccount({ restUrl, privateKey });
  const { key } = await signed.apiKeys.create({ name, permissions: ['READ', 'TRADE'] });
  const api = createClient({ restUrl, apiKey: key, maxRetries: 0 });
  const credentials = await openPaperAccount(paperExchangeUrl, { USDT: '10000000', BTC: '100' });
  const venue = { exchange: 'paper', trading_type: 'spot', credentials };
  const account = await api.exchanges.create({ ...venue, account_name: name });
  await until(
    () => api.exchanges.get(account.id),
    ({ last_sync_at }) => last_sync_at !== null,
  );
  const pair = pairNamed('BTC/USDT', await pairsOf(api));
  return { api, signed, key, privateKey, credentials, account, pair };
}

const respondAtOnce = (socket) => {
  socket.on('error', () => undefined);
  socket.on('data', (bytes) => {
    // The end of a JSON body.
    if (bytes.at(-1) === 0x7d) socket.write('HTTP/1.1 204 No Content\r\n\r\n');
  });
};

async function listen(onConnection) {
  const sockets = new Set();
  const server = createServer((socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)));
    onConnection(socket);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return server.address().port;
}
