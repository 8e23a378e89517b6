import { eventually } from '@trading-automation/runtime/testing';
import { generate } from 'selfsigned';
import { Webhook } from 'standardwebhooks';
import { runCaptured } from '../support/captured-run.js';
import { emptyFolder } from '../support/empty-folder.js';
import { RunningCommand } from './running-command.js';
import { StubReceiver } from './stub-receiver.js';
import { StubStreamingApi } from './stub-streaming-api.js';

let api: StubStreamingApi;
let receiver: StubReceiver;
let home: string;
let startedCommands: RunningCommand[];
beforeEach(async () => {
  api = await StubStreamingApi.start();
  receiver = await StubReceiver.start();
  home = emptyFolder();
  startedCommands = [];
});
afterEach(async () => {
  await Promise.all(startedCommands.map((running) => running.interrupt()));
  await api.close();
  await receiver.close();
});

const variables = () => ({ SVC_BASE_URL: api.url, SVC_API_KEY: 'svc_test_key' });

/** Starts `svc listen …` and waits until it is connected. */
async function listen(...args: string[]): Promise<RunningCommand> {
  const running = new RunningCommand(['listen', ...args], variables(), home);
  startedCommands.push(running);
  await running.waitUntil(({ stderr }) => stderr.includes('Ready'));
  return running;
}
const eventText = (id: string, type = 'trade.filled') =>
  `{"event_id":"${id}","type":"${type}","timestamp":"2026-01-01T00:00:00.000Z","data":{"amount":1.10,"price":0.123456789012345678,"note":"ü\\u0001"}}`;
const secretOf = async () =>
  (await runCaptured(['listen', '--print-secret'], { configFolder: home })).stdout.trim();
const hasPrintedResults = (count: number) => (running: RunningCommand) =>
  running.lines.filter((line) => line.startsWith('<--')).length >= count;

describe('svc listen', () => {
  it('forwards each event byte for byte, with a signature that the standardwebhooks library verifies', async () => {
    const running = await listen('--forward-to', `localhost:${receiver.port}/hook`);
    api.push('evt_1', eventText('evt_1'));
    await running.waitUntil(hasPrintedResults(1));
    const [{ path, headers, text }] = receiver.received as [StubReceiver['received'][0]];
    expect([path, text]).toEqual(['/hook', eventText('evt_1')]);
    const secret = await secretOf();
    expect(new Webhook(secret).verify(text, headers)).toMatchObject({ event_id: 'evt_1' });
    expect(() => new Webhook(secret).verify(`${text} `, headers)).toThrow();
    expect(headers).toMatchObject({
      'webhook-id': 'evt_1',
      'content-type': 'application/json',
      'user-agent': 'trading-automation-webhooks/1',
      'x-svc-attempt': '1',
    });
  });

  it('prints each event and the result of its delivery', async () => {
    const running = await listen('--forward-to', receiver.url);
    api.push('evt_1', eventText('evt_1'));
    await running.waitUntil(hasPrintedResults(1));
    expect(running.lines[0]).toBe('--> trade.filled [evt_1]');
    expect(running.lines[1]).toMatch(/^<-- 204 POST http:\/\/127\.0\.0\.1:\d+\/hook \[evt_1\] \(\d+ ms\)$/);
    expect(running.stderr).not.toContain('whsec_');
  });

  it("accepts a receiver's untrusted certificate only with --skip-verify", async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
    const secure = await StubReceiver.start({ key, cert });
    try {
      const verifying = await listen('--forward-to', secure.url);
      api.push('evt_1', eventText('evt_1'));
      await verifying.waitUntil(hasPrintedResults(1));
      expect(verifying.lines.at(-1)).toMatch(/^<-- ERR POST https:.*: self-signed certificate$/);
      expect(secure.received).toEqual([]);
      const notVerifying = await listen('--forward-to', secure.url, '--skip-verify');
      api.push('evt_2', eventText('evt_2'));
      await notVerifying.waitUntil(hasPrintedResults(1));
      expect(notVerifying.lines.at(-1)).toMatch(/^<-- 204 POST https:/);
      expect(secure.received.map(({ text }) => text)).toEqual([eventText('evt_2')]);
    } finally {
      await secure.close();
    }
  });

  it('keeps a separate secret for each profile', async () => {
    const secret = await secretOf();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await secretOf()).toBe(secret);
    const other = await runCaptured(['listen', '--print-secret', '--profile', 'other'], {
      configFolder: home,
    });
    expect(other.stdout.trim()).not.toBe(secret);
  });

  it('prints the secret with --print-secret and then forwards events', async () => {
    const running = await listen('--forward-to', receiver.url, '--print-secret');
    expect(running.stderr).toContain(await secretOf());
    api.push('evt_1', eventText('evt_1'));
    await running.waitUntil(hasPrintedResults(1));
  });

  it('resumes after a disconnect without losing or repeating an event', async () => {
    const running = await listen('--forward-to', receiver.url);
    api.push('evt_1', eventText('evt_1'));
    await running.waitUntil(hasPrintedResults(1));
    api.cut();
    api.push('evt_2', eventText('evt_2'));
    await api.waitForConnections(2);
    api.cut();
    await api.waitForConnections(3);
    api.push('evt_3', eventText('evt_3'));
    await running.waitUntil(hasPrintedResults(3));
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([
      'evt_1',
      'evt_2',
      'evt_3',
    ]);
    expect(api.resumedAfter.slice(0, 2)).toEqual(['', 'evt_1']);
    expect(running.stderr).toContain('reconnecting to the event stream');
    expect(running.stderr).toContain('no event was lost');
  });

  it('starts after the event in --after', async () => {
    api.push('evt_1', eventText('evt_1'));
    api.push('evt_2', eventText('evt_2'));
    const running = await listen('--after', 'evt_1');
    await running.waitUntil(({ lines }) => lines.length > 0);
    expect(running.lines).toEqual(['--> trade.filled [evt_2]']);
  });

  it('reports a receiver that rejects an event, redirects or is unreachable, and continues', async () => {
    receiver.responses = [
      { status: 500 },
      { status: 302, headers: { location: '/elsewhere' } },
      { status: 200 },
    ];
    const running = await listen('--forward-to', receiver.url);
    for (const id of ['evt_1', 'evt_2', 'evt_3']) {
      api.push(id, eventText(id));
      await running.waitUntil(({ lines }) =>
        lines.some((line) => line.startsWith('<--') && line.includes(id)),
      );
    }
    const statuses = running.lines.filter((line) => line.startsWith('<--')).map((line) => line.split(' ')[1]);
    expect(statuses).toEqual(['500', '302', '200']);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook', '/hook', '/hook']);
    await receiver.close();
    api.push('evt_4', eventText('evt_4'));
    await running.waitUntil(({ lines }) => lines.some((line) => line.startsWith('<-- ERR')));
    expect(running.lines.at(-1)).toMatch(/\[evt_4\] \(\d+ ms\): connection refused$/);
    receiver = await StubReceiver.start();
  });

  it('forwards only the event types in --events', async () => {
    api.on('GET /v1/events/types', {
      data: { types: ['trade.filled', 'trade.created', 'reward.claimed'].map((type) => ({ type })) },
    });
    const running = await listen('--forward-to', receiver.url, '--events', 'trade.filled,reward.*');
    api.push('evt_1', eventText('evt_1', 'trade.created'));
    api.push('evt_2', eventText('evt_2', 'reward.claimed'));
    api.push('evt_3', eventText('evt_3', 'trade.filled'));
    await running.waitUntil(hasPrintedResults(2));
    expect(receiver.received.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual([
      'evt_2',
      'evt_3',
    ]);
  });

  it('rejects an unknown event type and lists the known ones', async () => {
    api.on('GET /v1/events/types', { data: { types: [{ type: 'trade.filled' }] } });
    const rejected = await runCaptured(['listen', '--events', 'trade.fill'], { variables: variables() });
    expect([rejected.exitCode, rejected.stderr]).toEqual([2, expect.stringContaining('trade.filled')]);
  });

  it('sends additional headers, but rejects reserved and invalid ones', async () => {
    const running = await listen(
      '--forward-to',
      receiver.url,
      '--header',
      'X-Tenant: blue',
      '--header',
      'host:example.com',
    );
    api.push('evt_1', eventText('evt_1'));
    await running.waitUntil(hasPrintedResults(1));
    expect(receiver.received[0]!.headers).toMatchObject({ 'x-tenant': 'blue', host: 'example.com' });
    for (const header of [
      'Webhook-Id: evt_2',
      'Webhook-Timestamp: 1',
      'Webhook-Signature: v1,x',
      'content-type: text/plain',
      'content-length: 1',
      'nothing',
      'a: b\r\nc: d',
    ]) {
      const argv = ['listen', '--forward-to', receiver.url, '--header', header];
      expect([header, (await runCaptured(argv, { variables: variables() })).exitCode]).toEqual([header, 2]);
    }
  });

  it.each(['ftp://localhost/x', 'http://user@localhost/', ':', 'http://'])(
    'rejects the receiver address %s',
    async (url) => {
      const rejected = await runCaptured(['listen', '--forward-to', url], { variables: variables() });
      expect([rejected.exitCode, rejected.stderr]).toEqual([
        2,
        expect.stringContaining('is not a valid receiver address'),
      ]);
    },
  );

  it('ends with exit code 130 after Ctrl-C, even while a delivery is in flight', async () => {
    receiver.responses = [{ status: 0 }];
    const running = await listen('--forward-to', receiver.url);
    api.push('evt_1', eventText('evt_1'));
    await eventually(() => receiver.received.length > 0);
    expect(await running.interrupt()).toBe(130);
    expect(running.lines.at(-1)).toMatch(/^<-- ERR POST .* \[evt_1\] \(\d+ ms\): aborted$/);
    expect(running.stderr).not.toContain('error:');
  });

  it('ends with exit code 4 if the API rejects the credential', async () => {
    api.on('GET /v1/events/stream', { status: 401, code: 'invalid_api_key' });
    const { exitCode, stderr } = await runCaptured(['listen'], { variables: variables() });
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('invalid_api_key')]);
  });

  it('ends with exit code 2 if --json selects an unknown field', async () => {
    const running = await listen('--json', 'nothing');
    api.push('evt_1', eventText('evt_1'));
    expect(await running.ended).toBe(2);
    expect(running.stderr).toContain('unknown field nothing');
  });

  it('prints each event and each result as a line of JSON with --json', async () => {
    const running = await listen('--forward-to', receiver.url, '--json');
    api.push('evt_1', eventText('evt_1'));
    await running.waitUntil(({ lines }) => lines.length >= 2);
    const steps = running.lines.map((line) => JSON.parse(line));
    expect(steps[0]).toEqual({ kind: 'received', event_id: 'evt_1', type: 'trade.filled' });
    expect(steps[1]).toMatchObject({ kind: 'forwarded', event_id: 'evt_1', status: 204, error: null });
  });
});
