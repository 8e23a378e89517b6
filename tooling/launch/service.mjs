import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { ensureKeys } from './keys.mjs';
import { readableLine } from './log-lines.mjs';
import { dataPaths, root } from './paths.mjs';
import { choosePorts, freePorts } from './ports.mjs';
import { runningPlatform } from './running-platform.mjs';
import { listServices } from './service-list.mjs';

/**
 * `npm run service -- <name> [--data <folder>]`: runs one more process of a service in the foreground. It uses
 * Postgres, Redis and the keys of the running platform. It listens on a free port. Ctrl-C ends it.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string' } },
});
const folder = mkdtempSync(join(tmpdir(), 'trading-automation-service-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
try {
  const paths = dataPaths(values.data === undefined ? undefined : resolve(values.data));
  const platform = runningPlatform(paths);
  const ports = await choosePorts(freePorts);
  const services = listServices({
    databaseUrl: platform.database_url,
    redisUrl: platform.redis_url,
    keys: await ensureKeys(paths.keys),
    paperExchangeDir: folder,
    ports: { ...ports, paperExchange: portOf(platform.paper_exchange_url) },
    // The services call the running paper exchange. A second paper exchange listens on its own port.
    extraEnv: { 'paper-exchange': { PORT: String(ports.paperExchange) } },
  });
  const [name] = positionals;
  const service = services.find((each) => each.name === name);
  if (service === undefined)
    throw new Error(
      `Unknown or missing service name. Use: npm run service -- ${services.map((each) => each.name).join('|')}`,
    );
  run(service);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** @param {import('./service-list.mjs').Service} service */
function run({ name, app, env }) {
  const child = fork(join(root, 'apps', app, 'dist', 'main.js'), [], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null)
      createInterface({ input: stream }).on('line', (line) => console.log(readableLine(name, line)));
  }
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
    process.on(signal, () => child.kill('SIGTERM'));
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}

/** @param {string} url */
function portOf(url) {
  return Number(new URL(url).port);
}
