import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { eventually } from '@trading-automation/runtime/testing';
import {
  openReceiver,
  openTestEnvironment,
  type Receiver,
  type TestEnvironment,
} from './test-environment.js';

const main = new URL('../dist/main.js', import.meta.url).pathname;
/** Settings with which a killed process counts as dead after 1 s, long before its attempts would time out. */
const FAST_DETECTION = { ATTEMPT_TIMEOUT_MS: '20000', SILENCE_MS: '1000', WEBHOOK_IN_FLIGHT_MAX: '8' };

describe('the dispatcher process', () => {
  let environment: TestEnvironment;
  let receiver: Receiver;
  const children: ChildProcess[] = [];
  beforeEach(async () => {
    environment = await openTestEnvironment();
    receiver = await openReceiver();
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await receiver.close();
    await environment.close();
  });

  function launch(settings: Record<string, string> = {}): ChildProcess {
    const env = { PATH: process.env.PATH, ...environment.settings, LOG_LEVEL: 'info', ...settings };
    const child = fork(main, [], { silent: true, execArgv: [], env });
    children.push(child);
    return child;
  }

  /** Starts the built process and waits until it is ready. */
  async function start(settings: Record<string, string> = {}): Promise<ChildProcess> {
    const child = launch(settings);
    for await (const line of createInterface({ input: child.stdout! })) {
      if ((JSON.parse(line) as { msg: string }).msg === 'ready') return child;
    }
    throw new Error('the dispatcher exited before it was ready');
  }

  it('loses no event if it is killed during eight attempts: each event is sent again with the same id', async () => {
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    receiver.respondWith(() => undefined);
    const first = await start(FAST_DETECTION);
    const ids = await Promise.all(Array.from({ length: 8 }, () => environment.emit(hook.userId)));
    await eventually(() => receiver.received.length === ids.length);
    const receivedBeforeKill = receiver.received.map(({ eventId, body }) => `${eventId} ${body}`).sort();
    first.kill('SIGKILL');
    await once(first, 'exit');
    expect(await environment.query("SELECT FROM webhook_deliveries WHERE status = 'SENDING'")).toHaveLength(
      ids.length,
    );

    receiver.respondWith((_received, response) => void response.end());
    const more = await Promise.all(Array.from({ length: 4 }, () => environment.emit(hook.userId)));
    await start(FAST_DETECTION);
    await eventually(
      async () =>
        (await environment.query("SELECT FROM webhook_deliveries WHERE status = 'SUCCEEDED'")).length ===
        ids.length + more.length,
    );
    const afterKill = receiver.received.slice(ids.length);
    expect(afterKill).toHaveLength(ids.length + more.length);
    expect(new Set(afterKill.map(({ eventId }) => eventId)).size).toBe(ids.length + more.length);
    const sentAgain = afterKill.map(({ eventId, body }) => `${eventId} ${body}`);
    expect(receivedBeforeKill.filter((each) => sentAgain.includes(each))).toEqual(receivedBeforeKill);
    expect(receiver.received.every(({ attempt }) => attempt === 1)).toBe(true);
    expect(receiver.rejected).toEqual([]);
    expect(
      await environment.query(
        'SELECT count(*)::int AS attempts, min(status) AS status FROM webhook_attempts',
      ),
    ).toEqual([{ attempts: ids.length + more.length, status: 'SUCCEEDED' }]);
  });

  it('creates each missing delivery exactly once after a restart, if it was killed before all events were fanned out', async () => {
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    const first = await start();
    const emitting = Promise.all(Array.from({ length: 40 }, () => environment.emit(hook.userId)));
    await eventually(() => receiver.received.length > 0);
    const ended = once(first, 'exit');
    first.kill('SIGKILL');
    const ids = await emitting;
    await ended;
    await start(FAST_DETECTION);
    await eventually(() => new Set(receiver.received.map(({ eventId }) => eventId)).size === ids.length);
    expect(await environment.query('SELECT FROM webhook_deliveries')).toHaveLength(ids.length);
    expect(receiver.rejected).toEqual([]);
  });

  it('completes running attempts on SIGTERM, so that nothing is sent twice after a restart', async () => {
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    receiver.respondWith((_received, response) => void setTimeout(() => response.end(), 700));
    const first = await start();
    await environment.emit(hook.userId);
    await eventually(() => receiver.received.length === 1);
    first.kill('SIGTERM');
    expect(await once(first, 'exit')).toEqual([0, null]);
    expect(await environment.query('SELECT status FROM webhook_deliveries')).toEqual([
      { status: 'SUCCEEDED' },
    ]);
    const second = await start();
    const last = await environment.emit(hook.userId);
    await eventually(async () => {
      const rows = await environment.query('SELECT status FROM webhook_deliveries WHERE event_id = $1', last);
      return rows[0]?.status === 'SUCCEEDED';
    });
    expect(receiver.received).toHaveLength(2);
    second.kill('SIGTERM');
    await once(second, 'exit');
  });

  it('records heartbeats', async () => {
    await start();
    const rows = await eventually(async () => {
      const heartbeats = await environment.query('SELECT service FROM heartbeats');
      return heartbeats.length > 0 && heartbeats;
    });
    expect(rows).toEqual([{ service: 'webhook-dispatcher' }]);
  });

  it('exits with 1 on a database that lacks a migration of its release, with one line that says so', async () => {
    await environment.query('DELETE FROM migrations WHERE id = (SELECT max(id) FROM migrations)');
    const child = launch();
    let log = '';
    child.stdout?.on('data', (chunk) => {
      log += chunk;
    });
    expect(await once(child, 'exit')).toEqual([1, null]);
    const fatalLines = log.split('\n').filter((line) => line.includes('"level":"fatal"'));
    expect(fatalLines).toHaveLength(1);
    expect(fatalLines[0]).toContain('run the migrator first');
    expect(await environment.query('SELECT FROM webhook_dispatchers')).toEqual([]);
  });

  it('exits with 1 in the live world if loopback URLs are allowed', async () => {
    const child = launch({ WORLD: 'live' });
    let log = '';
    child.stdout?.on('data', (chunk) => {
      log += chunk;
    });
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(log).toContain('WEBHOOK_ALLOW_LOOPBACK: must be false in the live world');
  });
});
