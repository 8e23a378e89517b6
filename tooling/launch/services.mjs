import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './commands.mjs';
import { ensureDemo } from './demo.mjs';
import { makeFolder, writePrivateFile } from './files.mjs';
import { ensureKeys } from './keys.mjs';
import { root } from './paths.mjs';
import { startServers } from './platform-servers.mjs';
import { choosePorts, freePorts } from './ports.mjs';
import { listServices } from './service-list.mjs';
import { migrateDatabase, superviseService } from './service-processes.mjs';

/**
 * Starts Postgres, Redis and all services, waits until they are ready, writes `.data/dev.json` and prints commands to
 * try. Returns the running services.
 *
 * @param {import('./paths.mjs').DataPaths} paths
 * @param {import('./lifecycle.mjs').Lifecycle} lifecycle
 * @param {(line: string) => void} print
 * @param {{ usesFreePorts?: boolean, inspect?: string | undefined }} [options] `inspect`: `<service>[:<port>]`
 */
export async function startServices(paths, lifecycle, print, { usesFreePorts = false, inspect } = {}) {
  makeFolder(paths.paperExchange, 0o700);
  makeFolder(paths.keys, 0o700);
  const [ports, keys] = await Promise.all([
    choosePorts(usesFreePorts ? freePorts : undefined),
    ensureKeys(paths.keys),
  ]);
  print('Starting Postgres and Redis');
  const servers = await startServers({ paths, ports, lifecycle, print });
  print('Migrating the database');
  await migrateDatabase(servers.databaseUrl);
  print('Starting the services');
  const commit = await currentCommit();
  const services = listServices({
    ...servers,
    keys,
    ports,
    commit,
    paperExchangeDir: paths.paperExchange,
    mailbox: { dir: paths.mail, ports: { page: ports.mail, smtp: ports.smtp } },
  });
  if (inspect !== undefined) openDebugger(services, inspect);
  /** @param {import('./service-list.mjs').Service[]} list */
  const start = async (list) => {
    const started = list.map((service) => ({ service, supervised: superviseService(service, print) }));
    for (const { supervised } of started) await lifecycle.defer(() => supervised.stop());
    await Promise.all(started.map(({ supervised }) => supervised.untilReady()));
    return started;
  };
  const isDashboard = (/** @type {import('./service-list.mjs').Service} */ { name }) => name === 'dashboard';
  const running = await start(services.filter((service) => !isDashboard(service)));

  const restUrl = urlOf(services, 'rest-api');
  const graphqlUrl = urlOf(services, 'graphql-api');
  const dashboardUrl = urlOf(services, 'dashboard');
  const paperExchangeUrl = urlOf(services, 'paper-exchange');
  const mailUrl = urlOf(services, 'mailbox');
  const demo = await ensureDemo(paths.demo, { restUrl, paperExchangeUrl });
  // The dashboard offers to sign in as the demo account, so it starts after the account exists.
  const dashboards = services.filter(isDashboard);
  for (const { env } of dashboards) env.DEMO_API_KEY = demo.api_key;
  running.push(...(await start(dashboards)));
  await lifecycle.defer(() => rmSync(paths.devStateFile, { force: true }));
  const state = {
    rest_url: restUrl,
    graphql_url: graphqlUrl,
    dashboard_url: dashboardUrl,
    paper_exchange_url: paperExchangeUrl,
    mail_url: mailUrl,
    database_url: servers.databaseUrl,
    redis_url: servers.redisUrl,
    api_key: demo.api_key,
    paper_credentials: demo.paper,
    pid: process.pid,
  };
  writePrivateFile(paths.devStateFile, `${JSON.stringify(state, null, 2)}\n`);
  print(banner({ restUrl, graphqlUrl, dashboardUrl, paperExchangeUrl, mailUrl }, demo));
  return { databaseUrl: servers.databaseUrl, running };
}

/**
 * @param {import('./service-list.mjs').Service[]} services
 * @param {string} inspect
 */
function openDebugger(services, inspect) {
  const [name, port = '9229'] = inspect.split(':');
  const service = services.find((each) => each.name === name);
  if (service === undefined) {
    const names = services.map((each) => each.name).join(', ');
    throw new Error(`--inspect must name a service; got ${name}. Services: ${names}.`);
  }
  service.env.NODE_OPTIONS = `${service.env.NODE_OPTIONS ?? ''} --enable-source-maps --inspect=127.0.0.1:${port}`;
}

/** Returns the commit of this clone; undefined without a git clone or without git. */
async function currentCommit() {
  const { code, stdout } = await run('git', ['rev-parse', 'HEAD']);
  return code === 0 ? stdout.trim() : undefined;
}

/**
 * @param {import('./service-list.mjs').Service[]} services
 * @param {string} name
 */
function urlOf(services, name) {
  const url = services.find((service) => service.name === name)?.url;
  if (url === undefined) throw new Error(`the service ${name} is not listed or has no URL`);
  return url;
}

/**
 * @param {{ restUrl: string, graphqlUrl: string, dashboardUrl: string, paperExchangeUrl: string, mailUrl: string }} urls
 * @param {import('./demo.mjs').Demo} demo
 */
function banner({ restUrl, graphqlUrl, dashboardUrl, paperExchangeUrl, mailUrl }, demo) {
  const order = {
    exchange_account_id: demo.exchange_account_id,
    trade_pair_id: demo.trade_pair_id,
    type: 'MARKET',
    side: 'BUY',
    amount: '0.01',
  };
  return `
Ready. (${(performance.now() / 1000).toFixed(1)} s since npm start)
  Dashboard        ${dashboardUrl}
  REST API         ${restUrl}/v1
  Reference        ${restUrl}/docs
  GraphQL API      ${graphqlUrl}/graphql
  Paper exchange   ${paperExchangeUrl}
  Mailbox          ${mailUrl}
  Demo ADMIN key   ${demo.api_key}
Try (in another terminal):
  npm run demo
  alias svc='node ${join(root, 'packages', 'cli', 'bin', 'svc.js')}'
  svc auth login --base-url ${restUrl} --graphql-url ${graphqlUrl}
  svc dev seed --paper-url ${paperExchangeUrl}
  svc trades create --pair BTC/USDT --side BUY --type MARKET --amount 0.01
  svc trades watch --until-final
  svc graphql '{ me { id } trades(first: 1) { nodes { symbol status averagePrice } } }'
Or, with the demo key:
  curl -s ${restUrl}/v1/exchanges -H 'X-API-Key: ${demo.api_key}'
  curl -s ${restUrl}/v1/trades -H 'X-API-Key: ${demo.api_key}' -H 'Content-Type: application/json' -d '${JSON.stringify(order)}'
  curl -s '${restUrl}/v1/trades?limit=1' -H 'X-API-Key: ${demo.api_key}'
Press Ctrl-C to stop everything.
`;
}
