import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../launch/first-trade/scenario.mjs';
import { copyWorkspace } from './workspace-copy.mjs';

/** @type {string} */
let folder;
/** @type {string} */
let copy;
/** @type {import('node:child_process').ChildProcess} */
let child;
let output = '';
/** The length of the output at the time of the last edit. */
let readUpTo = 0;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'trading-automation-dev-')));
  // Postgres may have to run as another user.
  chmodSync(folder, 0o755);
  copy = join(folder, 'repository');
  copyWorkspace(copy);
  const { DATABASE_URL: _database, REDIS_URL: _redis, ...env } = process.env;
  child = spawn('npm', ['run', 'dev', '--', '--free-ports', '--inspect', 'rest-api:0'], {
    cwd: copy,
    env: { ...env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  await untilOutput('Watching:');
}, 120_000);

afterAll(async () => {
  if (child?.exitCode === null) {
    process.kill(JSON.parse(readFileSync(join(copy, '.data', 'dev.json'), 'utf8')).pid, 'SIGINT');
    await new Promise((resolve) => child.once('exit', resolve));
  }
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** Waits until the output since the last edit contains a string. */
const untilOutput = (text) =>
  until(
    async () => output.slice(readUpTo),
    (unread) => unread.includes(text),
    100_000,
  );

const state = () => JSON.parse(readFileSync(join(copy, '.data', 'dev.json'), 'utf8'));

async function responseOf(path) {
  const { rest_url, api_key } = state();
  try {
    return await (await fetch(`${rest_url}${path}`, { headers: { 'X-API-Key': api_key } })).text();
  } catch {
    return '';
  }
}

/** Replaces a string in a source file. */
function edit(file, before, after) {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(before);
  readUpTo = output.length;
  writeFileSync(path, text.replace(before, after));
}

/** Waits until the response of a path contains a string, and returns the time in milliseconds. */
async function msUntil(path, text) {
  const startedAt = performance.now();
  while (!(await responseOf(path)).includes(text)) await wait(20);
  return Math.round(performance.now() - startedAt);
}

describe('npm run dev', () => {
  it('serves edits of an app and of a package, and keeps serving while a file does not compile', async () => {
    expect(output).toContain('Debugger listening on ws://127.0.0.1:');
    const page = 'apps/rest-api/src/reference/llms-text.ts';
    edit(page, '# Trading Automation API', '# Edited app');
    const appMs = await msUntil('/llms.txt', '# Edited app');
    await untilOutput('rest-api live');

    edit('packages/core/src/platform/health.service.ts', 'services.redis =', 'services.edited_package =');
    const coreMs = await msUntil('/v1/health/detailed', 'edited_package');
    await untilOutput('trading-worker, webhook-dispatcher live');

    const contract = 'packages/contracts/src/service.ts';
    edit(contract, "meta({ id: 'Health' })", "meta({ id: 'Health', description: 'Edited contract.' })");
    const contractsMs = await msUntil('/openapi.json', 'Edited contract.');
    await untilOutput('trading-worker, webhook-dispatcher live');

    edit(page, 'const START = `# Edited app', 'const START = = `# Broken');
    await untilOutput('The old processes keep running.');
    expect(output).toMatch(/llms-text\.ts/);
    expect(await responseOf('/llms.txt')).toContain('# Edited app');
    edit(page, 'const START = = `# Broken', 'const START = `# Repaired');
    const repairedMs = await msUntil('/llms.txt', '# Repaired');
    await untilOutput('rest-api live');

    edit(page, 'tagOf(id) === tag)', 'tagOf(id) === tag && id.noSuchProperty === undefined)');
    await untilOutput('type errors in rest-api');
    expect(output).toContain('noSuchProperty');

    console.log(
      `Live after: app ${appMs} ms, core ${coreMs} ms, contracts ${contractsMs} ms, repaired app ${repairedMs} ms`,
    );
  }, 300_000);
});
