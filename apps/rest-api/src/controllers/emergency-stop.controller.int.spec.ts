import { openAccount, sendSigned, startTestRestApi, type TestRestApi } from '../../test/test-rest-api.js';

let api: TestRestApi;
let holder: Awaited<ReturnType<typeof openAccount>>;
beforeAll(async () => {
  api = await startTestRestApi();
  holder = await openAccount(api);
});
afterAll(() => api.close());

describe('/v1/emergency-stop', () => {
  it('takes no body, returns its findings, and replays the first response of its key', async () => {
    const headers = { 'idempotency-key': 'stop' };
    const run = () => sendSigned(api, holder, 'POST', '/v1/emergency-stop', { headers });
    const [first, again] = [await run(), await run()];
    expect([first.status, first.json.data]).toEqual([
      200,
      { paused_copiers: [], cancelled: [], ended_otherwise: [], still_open: [], open_lots: [] },
    ]);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotency-replayed']).toBe('true');
  });
});
