import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Keys, TestPaperExchange } from './testing/test-paper-exchange.js';

describe('a request to the venue', () => {
  let venue: TestPaperExchange;
  let keys: Keys;
  beforeEach(async () => {
    venue = await TestPaperExchange.start();
    keys = await venue.createAccount();
  });
  afterEach(() => venue.stop());

  const order = {
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    timeInForce: 'GTC',
    quantity: '0.1',
    price: 60_000,
  };
  type Params = Record<string, string | number>;
  const code = async (method: string, path: string, params: Params = {}, signer?: Keys) => {
    const { status, body } = await venue.call(method, path, params, signer);
    return [status, body.code];
  };

  it('may have a JSON content type and an empty body', async () => {
    const query = new URLSearchParams({ timestamp: String(Date.now()) });
    query.set('signature', createHmac('sha256', keys.api_secret).update(query.toString()).digest('hex'));
    const response = await fetch(`${venue.url}/api/v3/rateLimit/order?${query}`, {
      headers: { 'x-mbx-apikey': keys.api_key, 'content-type': 'application/json' },
    });
    expect(response.status).toBe(200);
    const created = await fetch(`${venue.url}/api/v3/userDataStream`, {
      method: 'POST',
      headers: { 'x-mbx-apikey': keys.api_key, 'content-type': 'application/json' },
    });
    expect([created.status, await created.json()]).toEqual([200, { listenKey: expect.any(String) }]);
  });

  /** Sends bytes and returns the status and the body of the response, and whether the exchange announces to disconnect. */
  async function answerTo(head: string): Promise<readonly [number, unknown, isLast: boolean]> {
    const { hostname, port } = new URL(venue.url);
    const socket = connect(Number(port), hostname);
    // Ends a connection that the exchange keeps open, so that the assertions fail instead of the time limit of the test.
    socket.setTimeout(2_000, () => socket.end());
    socket.write(`${head}\r\n\r\n`);
    const received = await text(socket);
    const [, status] = /^HTTP\/1\.1 (\d+) /.exec(received) ?? [];
    const body = received.split('\r\n\r\n')[1] ?? '';
    const isLast = /^connection: close\r$/im.test(received);
    return [Number(status), body.startsWith('{') ? JSON.parse(body) : undefined, isLast];
  }

  it.each([
    ['http://evil.example/api/v3/ping', 200],
    ['HTTPS://evil.example:8443/api/v3/ping', 200],
    ['http://[::1]:1/api/v3/ping', 200],
    ['http://evil.example', 404],
    ['http://evil.example?x=1', 404],
    ['http://evil.example/api/v3/nothing', 404],
    ['ftp://evil.example/api/v3/ping', 404],
    ['http://evil.example:65536/api/v3/ping', 400],
    ['http://evil.example:80a/api/v3/ping', 400],
    ['http://user@evil.example/api/v3/ping', 400],
  ])('is answered by the path of the absolute target %s if its host is valid', async (target, status) => {
    const [received, body] = await answerTo(`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close`);
    expect([received, body]).toEqual([
      status,
      {
        200: {},
        404: { code: -1020, msg: expect.any(String) },
        400: { code: -1102, msg: expect.stringMatching(/host of the request target is malformed/) },
      }[status],
    ]);
  });

  it.each([
    ['no Host header', 'GET /api/v3/ping HTTP/1.1'],
    ['no Host header beside an absolute target', 'GET http://x/api/v3/ping HTTP/1.1'],
    ['two Host headers', 'GET /api/v3/ping HTTP/1.1\r\nhost: x\r\nhost: x'],
    ['a path in the Host header', 'GET /api/v3/ping HTTP/1.1\r\nhost: x/y'],
    ['a malformed Host header and an unknown path', 'GET /nowhere HTTP/1.1\r\nhost: x:65536'],
    ['a malformed Host header and an admin path', 'GET /admin/weather HTTP/1.1\r\nhost: 127.0.0.1:65536'],
  ])('is refused with %s, and its connection ends', async (_fault, head) => {
    expect(await answerTo(head)).toEqual([
      400,
      { code: -1102, msg: expect.stringMatching(/Host header/) },
      true,
    ]);
  });

  it.each([
    ['an absolute target with a malformed host', 'GET http://x:65536/ws HTTP/1.1\r\nhost: x'],
    ['two Host headers', 'GET /ws HTTP/1.1\r\nhost: x\r\nhost: y'],
    ['no Host header', 'GET /ws HTTP/1.1'],
  ])('is refused with %s if it opens a WebSocket', async (_fault, head) => {
    const upgrade = [
      'connection: upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      `sec-websocket-key: ${Buffer.alloc(16).toString('base64')}`,
    ];
    expect(await answerTo([head, ...upgrade].join('\r\n'))).toEqual([400, undefined, true]);
  });

  it('selects the markets of exchangeInfo, or is refused', async () => {
    const info = async (params: Record<string, string>) => {
      const { status, body } = await venue.call<{
        code?: number;
        symbols?: { symbol: string; permissionSets?: unknown }[];
      }>('GET', '/api/v3/exchangeInfo', params);
      return [status, body.code ?? body.symbols?.map(({ symbol }) => symbol)];
    };
    const all = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];
    expect(await info({})).toEqual([200, all]);
    expect(await info({ symbol: 'ETHUSDT' })).toEqual([200, ['ETHUSDT']]);
    expect(await info({ symbols: '["SOLUSDT","BTCUSDT"]' })).toEqual([200, ['SOLUSDT', 'BTCUSDT']]);
    expect(await info({ symbolStatus: 'TRADING' })).toEqual([200, all]);
    expect(await info({ symbolStatus: 'HALT' })).toEqual([200, []]);
    expect(await info({ permissions: 'SPOT' })).toEqual([200, all]);
    expect(await info({ permissions: '["MARGIN","LEVERAGED"]' })).toEqual([200, []]);
    expect(await info({ permissions: '["MARGIN","SPOT"]' })).toEqual([200, all]);
    expect(await info({ symbol: 'NOUSDT' })).toEqual([400, -1121]);
    expect(await info({ symbols: '["NOUSDT"]' })).toEqual([400, -1121]);
    expect(await info({ symbols: '["BTCUSDT","BTCUSDT"]' })).toEqual([400, -1151]);
    expect(await info({ symbols: 'BTCUSDT' })).toEqual([400, -1100]);
    expect(await info({ symbol: 'BTCUSDT', symbols: '["ETHUSDT"]' })).toEqual([400, -1128]);
    expect(await info({ symbol: 'BTCUSDT', symbolStatus: 'TRADING' })).toEqual([400, -1128]);
    expect(await info({ symbol: 'BTCUSDT', permissions: 'SPOT' })).toEqual([400, -1128]);
    expect(await info({ symbolStatus: 'OPEN' })).toEqual([400, -1122]);
    expect(await info({ permissions: 'EVERYTHING' })).toEqual([400, -1130]);
    expect(await info({ showPermissionSets: 'perhaps' })).toEqual([400, -1130]);
    const { body } = await venue.call<{ symbols: object[] }>('GET', '/api/v3/exchangeInfo', {
      symbol: 'BTCUSDT',
      showPermissionSets: 'false',
    });
    expect(body.symbols[0]).not.toHaveProperty('permissionSets');
  });

  it('is refused for a route that is not simulated, whatever its method', async () => {
    expect(await code('GET', '/api/v3/nothing')).toEqual([404, -1020]);
    expect(await code('GET', '/')).toEqual([404, -1020]);
    expect(await code('PUT', '/api/v3/order/amend/keepPriority', {}, keys)).toEqual([404, -1020]);
    expect(await code('PATCH', '/api/v3/order', order, keys)).toEqual([404, -1020]);
    expect(await code('POST', '/sapi/v1/capital/withdraw/apply', {}, keys)).toEqual([404, -1020]);
  });

  it('is refused for an unknown, repeated or empty parameter, and then has no effect', async () => {
    expect(await code('GET', '/api/v3/ping', { x: 1 })).toEqual([400, -1104]);
    expect(await code('GET', '/api/v3/depth', { symbol: 'BTCUSDT', limt: 5 })).toEqual([400, -1104]);
    expect(await code('GET', '/api/v3/depth', { symbol: '' })).toEqual([400, -1105]);
    const repeated = await fetch(`${venue.url}/api/v3/depth?symbol=BTCUSDT&symbol=ETHUSDT`);
    expect([repeated.status, await repeated.json()]).toMatchObject([400, { code: -1101 }]);
    const extras: Params[] = [
      { strategyId: 1 },
      { pegPriceType: 'PRIMARY_PEG' },
      { sideEffectType: 'MARGIN_BUY' },
    ];
    for (const extra of extras)
      expect(await code('POST', '/api/v3/order', { ...order, ...extra }, keys)).toEqual([400, -1104]);
    expect((await venue.call('GET', '/api/v3/allOrders', { symbol: 'BTCUSDT' }, keys)).body).toEqual([]);
  });

  it('is refused for an order parameter that would be ignored', async () => {
    const place = (extra: Params) => code('POST', '/api/v3/order', { ...order, ...extra }, keys);
    expect(await place({ icebergQty: '0.01' })).toEqual([400, -2010]);
    expect(await place({ selfTradePreventionMode: 'EXPIRE_MAKER' })).toEqual([400, -1130]);
    expect(await place({ stopPrice: 50_000 })).toEqual([400, -1106]);
    expect(await place({ trailingDelta: 100 })).toEqual([400, -1106]);
    expect(await place({ quoteOrderQty: 100 })).toEqual([400, -1106]);
    const market = { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.1' };
    const unused: Params[] = [{ timeInForce: 'GTC' }, { price: 60_000 }];
    for (const extra of unused)
      expect(await code('POST', '/api/v3/order', { ...market, ...extra }, keys)).toEqual([400, -1106]);
    expect((await venue.call('GET', '/api/v3/allOrders', { symbol: 'BTCUSDT' }, keys)).body).toEqual([]);
    expect((await place({ selfTradePreventionMode: 'EXPIRE_TAKER' }))[0]).toBe(200);
  });

  it('is refused for a time unit that responses do not have', async () => {
    const status = async (unit: string) => {
      const response = await fetch(`${venue.url}/api/v3/time`, { headers: { 'x-mbx-time-unit': unit } });
      return [response.status, ((await response.json()) as { code?: number }).code];
    };
    expect(await status('MICROSECOND')).toEqual([400, -1020]);
    expect(await status('FORTNIGHT')).toEqual([400, -1194]);
    expect(await status('MILLISECOND')).toEqual([200, undefined]);
  });
});
