import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../launch/first-trade/client.mjs';
import { until } from '../launch/first-trade/scenario.mjs';
import { identifyProcess, isRunning, signalTree } from '../launch/processes.mjs';
import { descendantsOf, ended, launchWith, startFile, untilOutput } from './launcher-processes.mjs';

/** @type {string} */
let folder;
/** Every process that a test started, so that a failed test leaves none. @type {ReturnType<typeof identifyProcess>[]} */
const seen = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trading-automation-killed-'));
  // Postgres may have to run as another user.
  chmodSync(folder, 0o755);
});
afterAll(() => {
  for (const identity of seen) if (isRunning(identity)) signalTree(identity.pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const launchArguments = () => ['--data', join(folder, 'data'), '--free-ports'];

/** Kills a process, and waits until nothing of what it started is left. Returns the processes that it had started. */
async function kill(child) {
  const started = descendantsOf(child.pid);
  const identities = started.map(({ pid }) => identifyProcess(pid)).filter((identity) => identity !== null);
  seen.push(...identities);
  process.kill(child.pid, 'SIGKILL');
  await ended(child);
  const nameOf = ({ pid }) => started.find((row) => row.pid === pid).command;
  const alive = async () => identities.filter(isRunning).map(nameOf);
  await until(alive, ({ length }) => length === 0, 5_000).catch(() => undefined);
  expect(await alive()).toEqual([]);
  return started;
}

function clientOfPlatform() {
  const state = JSON.parse(readFileSync(join(folder, 'data', 'dev.json'), 'utf8'));
  return { state, api: createClient({ restUrl: state.rest_url, apiKey: state.api_key }) };
}

describe('npm start', () => {
  it('leaves no process 5 s after it, or the npm that runs it, was killed, and keeps the data', async () => {
    const first = launchWith('node', [startFile, ...launchArguments()]);
    await untilOutput(first, 'Ready.');
    const { state, api } = clientOfPlatform();
    const { id } = await api.trades.create({
      exchange_account_id: (await api.exchanges.list()).data.find(
        ({ trading_type }) => trading_type === 'spot',
      ).id,
      trade_pair_id: (await api.tradePairs.list({ limit: 100 })).data.find(
        ({ symbol, trading_type }) => symbol === 'BTC/USDT' && trading_type === 'spot',
      ).id,
      type: 'MARKET',
      side: 'BUY',
      amount: '0.01',
    });
    await until(
      () => api.trades.get(id),
      ({ status }) => status === 'FILLED',
    );
    const started = await kill(first.child);
    // The guard, the server supervisor, Postgres, Redis, the mailbox and at least five services.
    expect(started.length).toBeGreaterThanOrEqual(10);

    const second = launchWith('npm', ['start', '--', ...launchArguments()]);
    await untilOutput(second, 'Ready.');
    const again = clientOfPlatform();
    expect(again.state.api_key).toBe(state.api_key);
    expect(await again.api.trades.get(id)).toMatchObject({ status: 'FILLED' });
    expect((await kill(second.child)).some(({ command }) => command.includes('start.mjs'))).toBe(true);
  }, 240_000);

  it('leaves no process 5 s after it was killed while its services were starting', async () => {
    const starting = launchWith('node', [startFile, ...launchArguments()]);
    await untilOutput(starting, 'Starting the services');
    await until(
      async () => descendantsOf(starting.child.pid).filter(({ command }) => command.includes('/apps/')),
      (services) => services.length >= 5,
    );
    await kill(starting.child);
  }, 120_000);
});
