import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../launch/first-trade/client.mjs';
import { until } from '../launch/first-trade/scenario.mjs';
import { environmentIn, svcFile } from '../launch/svc.mjs';
import { descendantsOf, ended, launchWith, startFile, untilOutput } from './launcher-processes.mjs';

const demo = join(import.meta.dirname, '..', 'launch', 'first-trade', 'main.mjs');

/** @type {string} */
let folder;
/** @type {import('node:child_process').ChildProcess[]} */
const started = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trading-automation-start-'));
  // Postgres may have to run as another user.
  chmodSync(folder, 0o755);
});
afterAll(async () => {
  for (const child of started) if (child.exitCode === null) child.kill('SIGINT');
  await Promise.all(started.map((child) => ended(child)));
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

function launch() {
  const launched = launchWith('node', [startFile, '--data', join(folder, 'data')]);
  started.push(launched.child);
  return launched;
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Runs a command that must succeed, and returns its output. */
async function outputOf(command, args, env = { ...process.env, NODE_OPTIONS: '' }) {
  const child = spawn(command, args, {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  // On 'close', unlike 'exit', all output has been read.
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code).toBe(0);
  return output;
}

/** Stops the launcher like Ctrl-C, and returns the processes that are still alive. */
async function stop(child) {
  const processes = descendantsOf(child.pid);
  // The guard, the server supervisor, Postgres, Redis, the mailbox and at least five services.
  expect(processes.length).toBeGreaterThanOrEqual(10);
  child.kill('SIGINT');
  expect(await ended(child)).toBe(0);
  return processes.filter(({ pid }) => isAlive(pid));
}

/** @param {string} mailUrl */
const mailsOf = async (mailUrl) => (await (await fetch(`${mailUrl}/messages`)).json()).messages;

/** Sets the e-mail address of the account, opens the link of the verification mail, and sends the form of its page. */
async function verifyAddress(api, mailUrl, email) {
  expect(await api.me.update({ email })).toMatchObject({ email });
  const [mail] = await until(
    () => mailsOf(mailUrl),
    (mails) => mails.length > 0,
  );
  expect(mail.to).toEqual([email]);
  const [link] = /^http:\/\/\S+$/m.exec(mail.text);
  expect(await (await fetch(`${mailUrl}/mails/${mail.id}`)).text()).toContain(`<a href="${link}"`);
  const page = await fetch(link);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('<form method="post"');
  const body = new URLSearchParams({ code: new URL(link).searchParams.get('code') ?? '' });
  expect((await fetch(link.split('?')[0], { method: 'POST', body })).status).toBe(200);
  expect(await api.me.get()).toMatchObject({ email, email_verified: true });
}

describe('npm start', () => {
  it('runs the product, prints commands to try, restarts crashed services, keeps the data, and leaves no process running', async () => {
    const first = launch();
    await untilOutput(first, 'Ready.');
    const stateFile = join(folder, 'data', 'dev.json');
    expect(statSync(stateFile).mode & 0o777).toBe(0o600);
    const state = JSON.parse(readFileSync(stateFile, 'utf8'));
    expect(state).toEqual({
      rest_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      graphql_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      dashboard_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      paper_exchange_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      mail_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      database_url: expect.stringMatching(/^postgres(ql)?:\/\/.+\/trading$/),
      redis_url: expect.stringMatching(/^redis:\/\//),
      api_key: expect.stringMatching(/^svc_test_/),
      paper_credentials: { api_key: expect.any(String), api_secret: expect.any(String) },
      pid: first.child.pid,
    });
    const api = createClient({ restUrl: state.rest_url, apiKey: state.api_key });

    // The curl command for a trade that `npm start` prints works unchanged.
    const [, line] = /^ {2}(curl -s \S+\/v1\/trades .+)$/m.exec(first.output);
    const { id } = JSON.parse(await outputOf('sh', ['-c', line])).data;
    await until(
      () => api.trades.get(id),
      ({ status }) => status === 'FILLED',
    );

    // The printed `svc` commands work too, from an empty home folder to a filled trade and a GraphQL query.
    const [, file] = /^ {2}alias svc='node (.+)'$/m.exec(first.output);
    expect(existsSync(file)).toBe(true);
    const lines = first.output.split('\n').filter((each) => each.startsWith('  svc '));
    expect(lines).toHaveLength(5);
    const script = [`svc() { node '${svcFile}' "$@"; }`, 'set -e', ...lines].join('\n');
    const output = await outputOf('sh', ['-c', script], environmentIn(join(folder, 'home')));
    expect(output).toMatch(/MARKET\tFILLED/);
    const graphqlData = JSON.parse(output.slice(output.search(/^\{/m)));
    expect(graphqlData).toMatchObject({ trades: { nodes: [{ symbol: 'BTC/USDT', status: 'FILLED' }] } });

    // The demo creates its own account. It does not change the account of the printed API key.
    const played = await outputOf('node', [demo, '--data', join(folder, 'data')]);
    expect(played).toMatch(/^\$ svc auth login --base-url .*\$ svc trades watch .*FILLED/s);
    expect(played).toContain(
      'Received and verified: trade.created, trade.created, trade.filled, trade.cancelled',
    );
    expect((await api.publicKeys.list()).data).toHaveLength(1);

    await verifyAddress(api, state.mail_url, 'owner@example.com');

    const second = launch();
    expect(await ended(second.child)).toBe(1);
    expect(second.output).toContain(`Already running as process ${first.child.pid}.`);

    const { commit } = await api.version.get();
    expect(commit).toMatch(/^[0-9a-f]{40}$/);
    const apiProcess = descendantsOf(first.child.pid).find(({ command }) => command.includes('rest-api'));
    process.kill(apiProcess.pid, 'SIGKILL');
    await untilOutput(first, 'ended (SIGKILL); restarting');
    await until(
      () => api.health.get().catch(() => ({ status: 'unavailable' })),
      ({ status }) => status === 'ok',
    );

    expect(await stop(first.child)).toEqual([]);
    expect(existsSync(stateFile)).toBe(false);

    const again = launch();
    await untilOutput(again, 'Ready.');
    const newState = JSON.parse(readFileSync(stateFile, 'utf8'));
    expect(newState.api_key).toBe(state.api_key);
    const later = createClient({ restUrl: newState.rest_url, apiKey: newState.api_key });
    expect(await later.trades.get(id)).toMatchObject({ status: 'FILLED' });
    expect((await mailsOf(newState.mail_url)).map(({ to }) => to)).toEqual([['owner@example.com']]);
    expect(await stop(again.child)).toEqual([]);
  }, 360_000);
});
