import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { makeFolder, readJsonIfThere, writePrivateFile } from './files.mjs';
import { readableLine } from './log-lines.mjs';
import { root } from './paths.mjs';
import { choosePorts } from './ports.mjs';
import { supervise } from './supervise.mjs';

/** What the demo account of the paper exchange holds at first. */
const demoBalances = { USDT: '1000000', BTC: '10', ETH: '100', SOL: '1000' };
const readyDeadlineMs = 60_000;

/**
 * Every service, what it is told, and where it shows that it is ready. A new app is one entry more.
 *
 * @param {import('./paths.mjs').DataPaths} paths
 * @param {import('./ports.mjs').Ports} ports
 */
function listServices(paths, ports) {
  const paperExchangeUrl = `http://127.0.0.1:${ports.paperExchange}`;
  return [
    {
      name: 'paper-exchange',
      url: paperExchangeUrl,
      readyUrl: `${paperExchangeUrl}/api/v3/ping`,
      env: { PORT: String(ports.paperExchange), DATA_DIR: paths.paperExchange },
    },
  ];
}

/**
 * Starts all services, waits until they answer, writes `.data/dev.json` and says what to try.
 *
 * @param {import('./paths.mjs').DataPaths} paths
 * @param {import('./lifecycle.mjs').Lifecycle} lifecycle
 * @param {(line: string) => void} say
 */
export async function startServices(paths, lifecycle, say) {
  makeFolder(paths.paperExchange, 0o700);
  const services = listServices(paths, await choosePorts());
  for (const service of services) {
    const supervisor = superviseService(service, say);
    await lifecycle.defer(() => supervisor.stop());
  }
  await Promise.all(services.map(({ name, readyUrl }) => untilReady(name, readyUrl)));

  const [paperExchange] = services;
  if (paperExchange === undefined) throw new Error('no service is listed');
  const credentials = await demoCredentials(paths.demo, paperExchange.url);
  await lifecycle.defer(() => rmSync(paths.devState, { force: true }));
  const state = { paper_exchange_url: paperExchange.url, paper_credentials: credentials, pid: process.pid };
  writePrivateFile(paths.devState, `${JSON.stringify(state, null, 2)}\n`);
  say(`
Ready.
  Paper exchange   ${paperExchange.url}
  Demo account     api key ${credentials.api_key} (the secret is in .data/dev.json)
Try:
  curl -s '${paperExchange.url}/api/v3/depth?symbol=BTCUSDT&limit=5'
  curl -s '${paperExchange.url}/admin/ledger?api_key=${credentials.api_key}'
Ctrl-C ends all of it.
`);
}

/**
 * @param {{ name: string, env: Record<string, string> }} service
 * @param {(line: string) => void} say
 */
function superviseService({ name, env }, say) {
  return supervise({
    spawn: () => {
      const child = fork(join(root, 'apps', name, 'dist', 'main.js'), [], {
        cwd: root,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        env: { ...process.env, NODE_OPTIONS: '', ...env },
      });
      for (const stream of [child.stdout, child.stderr]) {
        if (stream) createInterface({ input: stream }).on('line', (line) => say(readableLine(name, line)));
      }
      return child;
    },
    onEvent: (event) => {
      if (event.type !== 'exited') return;
      const how = event.signal ?? `code ${event.code}`;
      say(readableLine(name, `ended (${how}) and is started again in ${event.restartInMs} ms`));
    },
  });
}

/**
 * @param {string} name
 * @param {string} url
 */
async function untilReady(name, url) {
  const deadline = performance.now() + readyDeadlineMs;
  for (;;) {
    const isReady = await fetch(url).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isReady) return;
    if (performance.now() > deadline) throw new Error(`${name} did not become ready at ${url}`);
    await wait(50);
  }
}

/**
 * The demo account's credentials: made by the exchange at the first start, kept for the next ones.
 *
 * @param {string} file
 * @param {string} paperExchangeUrl
 * @returns {Promise<{ api_key: string, api_secret: string }>}
 */
async function demoCredentials(file, paperExchangeUrl) {
  const kept = readJsonIfThere(file);
  if (kept !== null) return /** @type {{ api_key: string, api_secret: string }} */ (kept);
  const answer = await fetch(`${paperExchangeUrl}/admin/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ balances: demoBalances }),
  });
  if (!answer.ok) throw new Error(`the paper exchange made no demo account: ${answer.status}`);
  const { api_key, api_secret } = /** @type {{ api_key: string, api_secret: string }} */ (
    await answer.json()
  );
  writePrivateFile(file, JSON.stringify({ api_key, api_secret }));
  return { api_key, api_secret };
}
