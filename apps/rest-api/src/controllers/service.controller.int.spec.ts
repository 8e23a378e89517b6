import { send } from '../../test/send.js';
import { startTestRestApi, type TestRestApi } from '../../test/test-rest-api.js';

let api: TestRestApi;
beforeAll(async () => {
  api = await startTestRestApi({ COMMIT: 'abc123' });
});
afterAll(() => api.close());

describe('without credentials, every caller can read', () => {
  it('that the API is alive', async () => {
    const { status, text } = await send(api, 'GET', '/v1/health');
    expect([status, text]).toEqual([200, '{"success":true,"data":{"status":"ok"}}']);
  });

  it('the build version and the world', async () => {
    const { json } = await send(api, 'GET', '/v1/version');
    expect(json.data).toEqual({ version: '1.2.3', commit: 'abc123', api: 'v1', world: 'test' });
  });

  it('the status of each service while some are unavailable', async () => {
    const { status, json } = await send(api, 'GET', '/v1/health/detailed');
    expect(status).toBe(200);
    expect(json.data).toMatchObject({
      status: 'degraded',
      services: {
        postgres: { status: 'ok' },
        redis: { status: 'ok' },
        'signed-requests': { status: 'ok' },
        'trading-worker': { status: 'degraded' },
      },
    });
  });
});
