import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { type Keys, TestPaperExchange } from './testing/test-paper-exchange.js';

type Message = Record<string, unknown> & { status?: number; result?: unknown; error?: { code: number } };

describe('the WebSocket API', () => {
  let venue: TestPaperExchange;
  const sockets: WebSocket[] = [];
  beforeEach(async () => {
    venue = await TestPaperExchange.start();
    await venue.admin('POST', 'market', { symbol: 'BTCUSDT', price: 60_000 });
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.terminate();
    await venue.stop();
  });

  async function open(path = '/ws-api/v3') {
    const socket = new WebSocket(`${venue.url.replace('http', 'ws')}${path}`);
    sockets.push(socket);
    const messages: Message[] = [];
    const waiting: (() => void)[] = [];
    socket.on('message', (data) => {
      messages.push(JSON.parse(data.toString()) as Message);
      waiting.shift()?.();
    });
    await once(socket, 'open');
    const next = async (isWanted: (message: Message) => boolean): Promise<Message> => {
      for (;;) {
        const at = messages.findIndex(isWanted);
        if (at >= 0) return messages.splice(at, 1)[0]!;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    };
    let lastId = 0;
    const request = async (method: string, params: Record<string, unknown> = {}) => {
      const id = ++lastId;
      socket.send(JSON.stringify({ id, method, params }));
      return next((message) => message.id === id);
    };
    return { request, next };
  }

  async function openEd25519(): Promise<{ keys: Keys; privateKey: KeyObject }> {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const { body } = await venue.admin<Keys>('POST', 'accounts', {
      balances: { USDT: 100_000, BTC: 2 },
      public_key: publicKey.export({ type: 'spki', format: 'pem' }),
    });
    return { keys: body, privateKey };
  }

  /** Signs the parameters as the venue documents it: sorted by name, joined, not URL-encoded. */
  function signed(
    { api_key: apiKey }: Keys,
    privateKey: KeyObject,
    params: Record<string, string | number> = {},
  ): Record<string, string | number> {
    const all: Record<string, string | number> = { ...params, apiKey, timestamp: Date.now() };
    const payload = Object.keys(all)
      .sort()
      .map((name) => `${name}=${all[name]}`)
      .join('&');
    return { ...all, signature: sign(null, Buffer.from(payload), privateKey).toString('base64') };
  }

  it('ends the events of a margin account when its listen token expires, and refuses other tokens', async () => {
    const keys = await venue.createAccount();
    const tokenOf = async (params: Record<string, string | number>) =>
      (await venue.call<Message>('POST', '/sapi/v1/userListenToken', params, keys)).body;
    const { request, next } = await open();
    const subscribe = (listenToken: unknown) =>
      request('userDataStream.subscribe.listenToken', { listenToken });
    const { token, expirationTime } = await tokenOf({ validity: 3_000 });
    expect((await subscribe(token)).result).toEqual({ subscriptionId: 0, expirationTime });
    expect((await subscribe('unknown')).error).toMatchObject({ code: -1125 });
    expect(await tokenOf({ isIsolated: 'true', symbol: 'BTCUSDT' })).toMatchObject({ code: -11_001 });
    expect(await tokenOf({ validity: 86_400_001 })).toMatchObject({ code: -1130 });
    const ended = await next(({ event }) => event !== undefined);
    expect(ended).toEqual({
      subscriptionId: 0,
      event: { e: 'eventStreamTerminated', E: expect.any(Number) },
    });
    expect((await subscribe(token)).error).toMatchObject({ code: -1125 });
  });

  it('logs an Ed25519 key on; then orders need neither key nor signature, until it logs out', async () => {
    const { keys, privateKey } = await openEd25519();
    const { request, next } = await open();
    const order = {
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      timeInForce: 'GTC',
      quantity: '0.1',
      price: '59000',
    };
    const now = () => ({ timestamp: Date.now() });
    expect(await request('order.place', { ...order, ...now() })).toMatchObject({ status: 401 });
    const other = generateKeyPairSync('ed25519').privateKey;
    expect(await request('session.logon', signed(keys, other))).toMatchObject({
      status: 400,
      error: { code: -1022 },
    });
    expect(await request('session.logon', signed(keys, privateKey))).toMatchObject({
      status: 200,
      result: { apiKey: keys.api_key },
    });
    expect(await request('userDataStream.subscribe')).toMatchObject({ result: { subscriptionId: 0 } });
    const placed = await request('order.place', { ...order, newClientOrderId: 'one', ...now() });
    expect(placed).toMatchObject({
      status: 200,
      result: { status: 'NEW' },
      rateLimits: [{ count: 1 }, { count: 1 }, { rateLimitType: 'REQUEST_WEIGHT' }],
    });
    expect(await next(({ event }) => event !== undefined)).toMatchObject({ event: { x: 'NEW', c: 'one' } });
    const one = { symbol: 'BTCUSDT', origClientOrderId: 'one' };
    expect(await request('order.status', { ...one, ...now() })).toMatchObject({ result: { status: 'NEW' } });
    expect(await request('order.cancel', { ...one, ...now() })).toMatchObject({
      result: { status: 'CANCELED' },
    });
    expect(await request('account.status', { omitZeroBalances: true, ...now() })).toMatchObject({
      result: { balances: [{ asset: 'BTC' }, { asset: 'USDT', free: '100000.00000000' }] },
    });
    expect(await request('order.status', { ...one, timestamp: Date.now() - 60_000 })).toMatchObject({
      error: { code: -1021 },
    });
    expect(await request('session.logout')).toMatchObject({ result: { apiKey: null } });
    expect(await request('order.place', { ...order, ...now() })).toMatchObject({ status: 401 });
  });

  it('refuses a session of an HMAC key, an unknown method and an unknown parameter', async () => {
    const keys = await venue.createAccount();
    const { request } = await open();
    const params = (await venue.createWatcher(keys)).signParams({});
    expect(await request('session.logon', params)).toMatchObject({ status: 400, error: { code: -4056 } });
    expect(await request('order.dance')).toMatchObject({ status: 400, error: { code: -1020 } });
    expect(await request('depth', { symbol: 'BTCUSDT', levels: 5 })).toMatchObject({
      error: { code: -1104 },
    });
    expect(await request('session.status', { verbose: true })).toMatchObject({ error: { code: -1104 } });
    expect(await request('userDataStream.subscribe')).toMatchObject({ status: 401 });
  });

  it('returns market data with the parameters of REST, and its weight', async () => {
    const { request } = await open();
    expect(await request('ticker.price', { symbol: 'BTCUSDT' })).toMatchObject({
      result: { symbol: 'BTCUSDT', price: '60000.00000000' },
      rateLimits: [{ count: 2 }],
    });
    expect(await request('ticker.price', { symbols: ['BTCUSDT', 'ETHUSDT'] })).toMatchObject({
      result: [{ symbol: 'BTCUSDT' }, { symbol: 'ETHUSDT' }],
    });
    expect(await request('depth', { symbol: 'BTCUSDT', limit: 5 })).toMatchObject({
      result: { bids: expect.any(Array) },
    });
    expect(await request('avgPrice', { symbol: 'NOUSDT' })).toMatchObject({ error: { code: -1121 } });
    const quiet = await request('ping', { returnRateLimits: false });
    expect(quiet).not.toHaveProperty('rateLimits');
  });

  it('opens a listen key, whose stream has the account’s events without an envelope, until it is closed', async () => {
    const keys = await venue.createAccount();
    const call = async (method: string, query = '') => {
      const response = await fetch(`${venue.url}/api/v3/userDataStream${query}`, {
        method,
        headers: { 'x-mbx-apikey': keys.api_key },
      });
      return (await response.json()) as { listenKey?: string; code?: number };
    };
    const { listenKey = '' } = await call('POST');
    expect(await call('POST')).toEqual({ listenKey });
    expect(await call('PUT', `?listenKey=${listenKey}`)).toEqual({});
    const [plain, combined] = [await open(`/ws/${listenKey}`), await open(`/stream?streams=${listenKey}`)];
    await venue.call(
      'POST',
      '/api/v3/order',
      {
        symbol: 'BTCUSDT',
        side: 'SELL',
        type: 'LIMIT',
        timeInForce: 'GTC',
        quantity: '0.1',
        price: 61_000,
        newClientOrderId: 'mine',
      },
      keys,
    );
    expect(await plain.next(({ e }) => e === 'executionReport')).toMatchObject({ c: 'mine', x: 'NEW' });
    expect(await combined.next(() => true)).toMatchObject({ stream: listenKey, data: { c: 'mine' } });
    expect(await call('PUT', '?listenKey=unknown')).toMatchObject({ code: -1125 });
    expect(await call('DELETE', `?listenKey=${listenKey}`)).toEqual({});
    expect(await call('PUT', `?listenKey=${listenKey}`)).toMatchObject({ code: -1125 });
    await expect(open(`/ws/${listenKey}`)).rejects.toThrow('400');
  });

  it('streams partial books, the average price and the tickers of all markets', async () => {
    const maker = await venue.createTrader();
    for (const price of [61_000, 61_100, 61_200, 61_300, 61_400, 61_500])
      await maker.createOrder('BTC/USDT', 'limit', 'sell', 0.1, price);
    const names = [
      'btcusdt@depth5',
      'btcusdt@depth20@100ms',
      'btcusdt@avgPrice',
      '!ticker@arr',
      '!miniTicker@arr',
    ];
    const { next } = await open(`/stream?streams=${names.join('/')}`);
    const event = async (name: string) => (await next(({ stream }) => stream === name)).data;
    expect(await event('btcusdt@depth5')).toMatchObject({
      asks: Array.from({ length: 5 }, () => [expect.any(String), expect.any(String)]),
    });
    expect(((await event('btcusdt@depth20@100ms')) as { asks: unknown[] }).asks.length).toBeGreaterThan(5);
    expect(await event('btcusdt@avgPrice')).toMatchObject({ e: 'avgPrice', s: 'BTCUSDT', i: '5m' });
    expect(await event('!ticker@arr')).toMatchObject([{ s: 'BTCUSDT' }, { s: 'ETHUSDT' }, { s: 'SOLUSDT' }]);
    expect(await event('!miniTicker@arr')).toMatchObject([{ e: '24hrMiniTicker' }, {}, {}]);
  });
});
