import { Webhook } from 'standardwebhooks';
import { runCaptured } from '../support/captured-run.js';
import { emptyFolder } from '../support/empty-folder.js';
import { StubReceiver } from './stub-receiver.js';
import { StubStreamingApi } from './stub-streaming-api.js';

let api: StubStreamingApi;
let receiver: StubReceiver;
let home: string;
beforeEach(async () => {
  api = await StubStreamingApi.start();
  receiver = await StubReceiver.start();
  home = emptyFolder();
  api.on('GET /v1/events/types', { data: { types: [{ type: 'trade.filled', sample: SAMPLE }] } });
});
afterEach(async () => {
  await api.close();
  await receiver.close();
});

const SAMPLE = {
  event_id: 'evt_sample',
  type: 'trade.filled',
  timestamp: '2026-01-01T00:00:00.000Z',
  data: { id: 'trd_1', amount: 1.5, fee: { amount: 0.1, currency: 'BTC' } },
};
const trigger = (...args: string[]) =>
  runCaptured(['trigger', ...args], {
    configFolder: home,
    variables: { SVC_BASE_URL: api.url, SVC_API_KEY: 'svc_test_key' },
  });

describe('svc trigger', () => {
  it('sends the sample of an event type with a new id and a signature that standardwebhooks verifies', async () => {
    const { exitCode, stdout } = await trigger('trade.filled', '--forward-to', receiver.url);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^<-- 204 POST /)]);
    await trigger('trade.filled', '--forward-to', receiver.url);
    const secret = (await runCaptured(['listen', '--print-secret'], { configFolder: home })).stdout.trim();
    const events = receiver.received.map(({ text, headers }) => new Webhook(secret).verify(text, headers));
    const [first, second] = events as [typeof SAMPLE, typeof SAMPLE];
    expect(first).toMatchObject({ type: 'trade.filled', data: SAMPLE.data });
    expect(first.event_id).toMatch(/^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    expect(first.event_id).toBe(receiver.received[0]!.headers['webhook-id']);
    expect(second.event_id).not.toBe(first.event_id);
    expect(Date.parse(first.timestamp)).toBeGreaterThan(Date.parse(SAMPLE.timestamp));
    // Decimals are requested as numbers, as in webhooks.
    expect(api.requests[0]!.headers.accept).toBe('application/json');
  });

  it('applies overrides, which may add a field, and rejects an invalid path', async () => {
    const overrides = [
      'data.amount=2.25',
      'data.fee.currency=USDT',
      'data.new={"a":[1]}',
      'event_id=evt_mine',
    ];
    await trigger(
      'trade.filled',
      '--forward-to',
      receiver.url,
      ...overrides.flatMap((each) => ['--override', each]),
    );
    expect(JSON.parse(receiver.received[0]!.text)).toMatchObject({
      event_id: 'evt_mine',
      data: { id: 'trd_1', amount: 2.25, fee: { amount: 0.1, currency: 'USDT' }, new: { a: [1] } },
    });
    for (const override of ['data.nothing.here=1', 'x', '__proto__.a=1']) {
      const { exitCode } = await trigger(
        'trade.filled',
        '--forward-to',
        receiver.url,
        '--override',
        override,
      );
      expect([override, exitCode]).toEqual([override, 2]);
    }
    expect(receiver.received).toHaveLength(1);
  });

  it('sends a past event byte for byte, and rejects overrides for it', async () => {
    const text = '{"event_id":"evt_1","type":"trade.filled","data":{"amount":1.5,"note":"ü"}}';
    api.on('GET /v1/events/evt_1', { data: JSON.parse(text) });
    const { exitCode } = await trigger('evt_1', '--forward-to', receiver.url);
    expect([exitCode, receiver.received[0]!.text]).toEqual([0, text]);
    expect(receiver.received[0]!.headers['webhook-id']).toBe('evt_1');
    expect(
      (await trigger('evt_1', '--forward-to', receiver.url, '--override', 'data.amount=2')).exitCode,
    ).toBe(2);
  });

  it('prints the event if no receiver is passed', async () => {
    const { exitCode, stdout } = await trigger('trade.filled', '--override', 'event_id=evt_mine');
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      0,
      { ...SAMPLE, event_id: 'evt_mine', timestamp: expect.any(String) },
    ]);
  });

  it('ends with exit code 1 and the reason if the receiver rejects the event', async () => {
    receiver.responses = [{ status: 401 }];
    const { exitCode, stderr } = await trigger('trade.filled', '--forward-to', receiver.url);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('it responded with 401')]);
  });

  it('makes the platform test a webhook with --webhook, and prints the result', async () => {
    const route = 'POST /v1/webhooks/whk_1/test';
    api.on(route, { data: { id: 'dlv_1', status: 'SUCCEEDED', status_code: 204 } });
    expect(await trigger('webhook.test', '--webhook', 'whk_1')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('SUCCEEDED'),
    });
    api.on(route, { data: { id: 'dlv_2', status: 'FAILED', error: 'connect_refused' } });
    expect(await trigger('webhook.test', '--webhook', 'whk_1')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('connect_refused'),
    });
    expect((await trigger('trade.filled', '--webhook', 'whk_1')).exitCode).toBe(2);
    expect((await trigger('webhook.test', '--webhook', 'whk_1', '--override', 'a=1')).exitCode).toBe(2);
    expect(api.requests.filter((request) => request.route === route)).toHaveLength(2);
  });

  it('rejects an unknown event type and lists the known ones', async () => {
    const { exitCode, stderr } = await trigger('trade.fill', '--forward-to', receiver.url);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('trade.filled')]);
  });
});
