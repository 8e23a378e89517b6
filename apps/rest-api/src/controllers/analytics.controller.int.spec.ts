import { openAccount, sendSigned, startTestRestApi, type TestRestApi } from '../../test/test-rest-api.js';

let api: TestRestApi;
let keyPair: Awaited<ReturnType<typeof openAccount>>;
beforeAll(async () => {
  api = await startTestRestApi();
  keyPair = await openAccount(api);
});
afterAll(() => api.close());

const call = (method: string, target: string) => sendSigned(api, keyPair, method, target);

describe('/v1/trades/analytics', () => {
  it.each(['/v1/trades/analytics', '/trades/analytics'])(
    'returns analytics; %s is not routed as the id of a trade',
    async (path) => {
      const { status, json } = await call('GET', path);
      expect([status, json.data]).toMatchObject([
        200,
        { trade_count: 0, currency: null, net_pnl: 0, win_rate: null, equity_curve: [] },
      ]);
    },
  );

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'returns 405 for %s, and lists each allowed method once',
    async (method) => {
      const { status, json, headers } = await call(method, '/v1/trades/analytics');
      expect([status, json.error?.code, headers.allow]).toEqual([
        405,
        'method_not_allowed',
        'GET, HEAD, OPTIONS',
      ]);
    },
  );

  it('rejects a range whose end is before its start; the error names the parameter', async () => {
    const { status, json } = await call(
      'GET',
      '/v1/trades/analytics?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
    );
    expect([status, json.error]).toMatchObject([
      400,
      { code: 'invalid_query', details: [{ field: 'to', code: 'range_is_empty' }] },
    ]);
  });
});
