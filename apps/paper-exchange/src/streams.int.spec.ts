import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NetworkError } from 'ccxt/js/src/base/errors';
import { WebSocket } from 'ws';
import { seededRandom } from './random.js';
import { type Keys, retryUntil, TestPaperExchange } from './testing/test-paper-exchange.js';
import { Weather } from './weather/weather.js';
import { MAX_UNSENT_BYTES, type Peer } from './wire/ws/peer.js';
import { StreamServer } from './wire/ws/stream-server.js';

describe('the streams, read by an unmodified ccxt client', () => {
  let venue: TestPaperExchange;
  beforeEach(async () => {
    venue = await TestPaperExchange.start({ ORDERS_PER_10S: '10000' });
  });
  afterEach(() => venue.stop());

  it('keep the order book of the client up to date while the market changes', async () => {
    const [maker, watcher] = [
      await venue.createTrader(),
      await venue.createWatcher(await venue.createAccount()),
    ];
    await maker.createOrder('BTC/USDT', 'limit', 'sell', 0.5, 60_000);
    // The client fetches its snapshot after the first message, so the book must change until `watchOrderBook` resolves.
    await retryUntil(watcher.watchOrderBook('BTC/USDT'), () =>
      maker.createOrder('BTC/USDT', 'limit', 'buy', 0.001, 50_000),
    );
    await maker.createOrder('BTC/USDT', 'limit', 'sell', 0.25, 60_100);
    await maker.createOrder('BTC/USDT', 'limit', 'buy', 0.1, 59_000);
    let book = await watcher.watchOrderBook('BTC/USDT');
    while (book.bids[0]?.[0] !== 59_000) book = await watcher.watchOrderBook('BTC/USDT');
    expect([...book.asks]).toEqual([
      [60_000, 0.5],
      [60_100, 0.25],
    ]);
    await maker.cancelAllOrders('BTC/USDT');
    while (book.asks.length + book.bids.length > 0) book = await watcher.watchOrderBook('BTC/USDT');
    expect((await maker.fetchOrderBook('BTC/USDT')).asks).toEqual([]);
  });

  it('send trades, prices and candles of the market', async () => {
    const [maker, taker] = [await venue.createTrader(), await venue.createTrader()];
    const watcher = await venue.createWatcher(await venue.createAccount());
    const trade = async () => {
      await maker.createOrder('BTC/USDT', 'limit', 'sell', 0.002, 60_000);
      await taker.createOrder('BTC/USDT', 'market', 'buy', 0.001);
    };
    // Before its first trade a market has no last price, but its ticker may already be sent.
    await trade();
    await watcher.loadMarkets();
    const all = Promise.all([
      watcher.watchTrades('BTC/USDT'),
      watcher.watchTicker('BTC/USDT'),
      watcher.watchBidsAsks(['BTC/USDT']),
      watcher.watchOHLCV('BTC/USDT', '1m'),
    ]);
    const [trades, ticker, best, candles] = await retryUntil(all, trade);
    expect(trades[0]).toMatchObject({ symbol: 'BTC/USDT', side: 'buy', price: 60_000, amount: 0.001 });
    expect(ticker).toMatchObject({ symbol: 'BTC/USDT', last: 60_000, open: 60_000 });
    expect(best['BTC/USDT']).toMatchObject({ ask: 60_000 });
    expect(candles[0]?.slice(1, 5)).toEqual([60_000, 60_000, 60_000, 60_000]);
  });

  it('send a user each change of the orders, the fills and the balances', async () => {
    const keys = await venue.createAccount();
    const [user, other, watcher] = [
      venue.clientOf(keys),
      await venue.createTrader(),
      await venue.createWatcher(keys),
    ];
    await watcher.loadMarkets();
    await watcher.authenticate({ type: 'spot' });
    const placed = watcher.watchOrders('BTC/USDT');
    const locked = watcher.watchBalance();
    await user.createOrder('BTC/USDT', 'limit', 'buy', 0.5, 60_000, { clientOrderId: 'mine' });
    expect((await placed).at(-1)).toMatchObject({ clientOrderId: 'mine', status: 'open', amount: 0.5 });
    expect((await locked).USDT).toMatchObject({ free: 70_000, used: 30_000 });

    const fills = watcher.watchMyTrades('BTC/USDT');
    const partly = watcher.watchOrders('BTC/USDT');
    await other.createOrder('BTC/USDT', 'market', 'sell', 0.2);
    expect((await fills).at(-1)).toMatchObject({
      side: 'buy',
      price: 60_000,
      amount: 0.2,
      takerOrMaker: 'maker',
      fee: { cost: 0.0002, currency: 'BTC' },
    });
    expect((await partly).at(-1)).toMatchObject({ status: 'open', filled: 0.2, remaining: 0.3 });

    const canceled = watcher.watchOrders('BTC/USDT');
    await user.cancelAllOrders('BTC/USDT');
    expect((await canceled).at(-1)).toMatchObject({ clientOrderId: 'mine', status: 'canceled', filled: 0.2 });
  });
});

describe('the streams in bad weather, read by an unmodified ccxt client', () => {
  let venue: TestPaperExchange;
  beforeEach(async () => {
    venue = await TestPaperExchange.start({ ORDERS_PER_10S: '10000' });
  });
  afterEach(() => venue.stop());

  it('send a fill twice, and the client counts it once by its id', async () => {
    const keys = await venue.createAccount();
    const [maker, watcher] = [await venue.createTrader(), await venue.createWatcher(keys)];
    await watcher.loadMarkets();
    await venue.admin('PUT', 'weather', { duplicate_event_rate: 1 });
    const fills = watcher.watchMyTrades('BTC/USDT');
    await maker.createOrder('BTC/USDT', 'limit', 'sell', 1, 60_000);
    await retryUntil(fills, () => venue.clientOf(keys).createOrder('BTC/USDT', 'market', 'buy', 0.001));
    const streamed = await fills;
    const fetched = await venue.clientOf(keys).fetchMyTrades('BTC/USDT');
    expect(new Set(streamed.map(({ id }) => id)).size).toBe(streamed.length);
    expect(fetched.map(({ id }) => id)).toContain(streamed[0]?.id);
  });

  it('fail with NetworkError when their connection is dropped, and can be opened again', async () => {
    const [maker, watcher] = [
      await venue.createTrader(),
      await venue.createWatcher(await venue.createAccount()),
    ];
    await watcher.loadMarkets();
    const trades = watcher.watchTrades('BTC/USDT');
    await retryUntil(trades, async () => {
      await maker.createOrder('BTC/USDT', 'limit', 'sell', 0.001, 60_000);
      await venue.admin('POST', 'market', { symbol: 'BTC/USDT', price: 60_000 });
    });
    const next = expect(watcher.watchTrades('BTC/USDT')).rejects.toThrow(NetworkError);
    expect((await venue.admin('POST', 'streams/disconnect')).body).toEqual({ disconnected: 1 });
    await next;
    await retryUntil(watcher.watchTrades('BTC/USDT'), async () => {
      await maker.createOrder('BTC/USDT', 'limit', 'sell', 0.001, 60_000);
      await venue.admin('POST', 'market', { symbol: 'BTC/USDT', price: 60_000 });
    });
  });
});

describe('the streams, read from a WebSocket', () => {
  let venue: TestPaperExchange;
  const sockets: WebSocket[] = [];
  beforeEach(async () => {
    venue = await TestPaperExchange.start();
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.terminate();
    await venue.stop();
  });

  async function open(path: string): Promise<{ socket: WebSocket; next: () => Promise<Event> }> {
    const socket = new WebSocket(`${venue.url.replace('http', 'ws')}${path}`);
    sockets.push(socket);
    const queue: Event[] = [];
    const waiting: ((event: Event) => void)[] = [];
    socket.on('message', (data) => {
      const event = JSON.parse(data.toString()) as Event;
      const resolve = waiting.shift();
      if (resolve === undefined) queue.push(event);
      else resolve(event);
    });
    await once(socket, 'open');
    const next = async () => queue.shift() ?? new Promise<Event>((resolve) => waiting.push(resolve));
    return { socket, next };
  }
  type Event = Record<string, unknown> & { event?: Record<string, unknown>; data?: Record<string, unknown> };

  /** Subscribes to the user stream. Returns a function that waits for `count` events and returns their types. */
  async function userEvents(keys: Keys) {
    const { socket, next } = await open('/ws-api/v3');
    const signed = (await venue.createWatcher(keys)).signParams({});
    socket.send(JSON.stringify({ id: 1, method: 'userDataStream.subscribe.signature', params: signed }));
    expect(await next()).toMatchObject({ id: 1, status: 200, result: { subscriptionId: 0 } });
    return async (count: number) => {
      const events: unknown[] = [];
      while (events.length < count) {
        const { event } = await next();
        events.push(event?.x ?? event?.e);
      }
      return events;
    };
  }

  it('reject a subscription with a wrong or missing signature, and an invalid request', async () => {
    const keys = await venue.createAccount();
    const { socket, next } = await open('/ws-api/v3');
    const request = async (message: object) => {
      socket.send(JSON.stringify(message));
      return next();
    };
    const method = 'userDataStream.subscribe.signature';
    const params = (await venue.createWatcher({ ...keys, api_secret: 'wrong' })).signParams({});
    expect(await request({ id: 'a', method, params })).toMatchObject({
      id: 'a',
      status: 400,
      error: { code: -1022 },
    });
    expect(await request({ id: 'b', method })).toMatchObject({
      id: 'b',
      status: 401,
      error: { code: -2014 },
    });
    expect(await request([])).toMatchObject({ id: null, status: 400, error: { code: -1135 } });
    expect(await request({ id: 1, method: 'ping' })).toMatchObject({ id: 1, status: 200, result: {} });
  });

  it('can be subscribed to, listed and unsubscribed from on a connection, which also responds to pings', async () => {
    const { socket, next } = await open('/ws/ethusdt@trade');
    const request = async (method: string, ...params: string[]) => {
      socket.send(JSON.stringify({ method, params, id: 7 }));
      return next();
    };
    expect(await request('SUBSCRIBE', 'btcusdt@depth')).toEqual({ result: null, id: 7 });
    expect(await request('SUBSCRIBE', 'btcusdt@trade', 'no@such')).toMatchObject({
      error: { code: 2, msg: "Invalid request: unknown stream 'no@such'" },
      id: 7,
    });
    expect(await request('LIST_SUBSCRIPTIONS')).toEqual({
      result: ['ethusdt@trade', 'btcusdt@depth'],
      id: 7,
    });
    expect(await request('UNSUBSCRIBE', 'no@such')).toMatchObject({ error: { code: 2 } });
    expect(await request('UNSUBSCRIBE', 'btcusdt@depth')).toEqual({ result: null, id: 7 });
    expect(await request('DANCE')).toMatchObject({ error: { code: 2 } });
    socket.send('not json');
    expect(await next()).toMatchObject({ error: { code: 2 } });
    socket.ping('here');
    expect(String((await once(socket, 'pong'))[0])).toBe('here');
  });

  it.each(['SUBSCRIBE', 'UNSUBSCRIBE'])('are refused if %s has no params', async (method) => {
    const { socket, next } = await open('/ws');
    socket.send(JSON.stringify({ method, id: 5 }));
    expect(await next()).toEqual({
      error: { code: 2, msg: 'Invalid request: missing field `params`' },
      id: 5,
    });
    socket.send('{"method":"LIST_SUBSCRIPTIONS","id":6}');
    expect(await next()).toEqual({ result: [], id: 6 });
  });

  it('send the name of the stream with each event on a combined connection', async () => {
    const { next } = await open('/stream?streams=btcusdt@trade');
    const [maker, taker] = [await venue.createTrader(), await venue.createTrader()];
    await maker.createOrder('BTC/USDT', 'limit', 'sell', 0.1, 60_000);
    await taker.createOrder('BTC/USDT', 'market', 'buy', 0.1);
    expect(await next()).toMatchObject({
      stream: 'btcusdt@trade',
      data: { e: 'trade', s: 'BTCUSDT', p: '60000.00000000', q: '0.10000000', m: false },
    });
  });

  it('are dropped without a close frame by the admin call, and are rejected at other paths', async () => {
    const { socket } = await open('/ws');
    const closed = once(socket, 'close');
    expect((await venue.admin('POST', 'streams/disconnect')).body).toEqual({ disconnected: 1 });
    expect((await closed)[0]).toBe(1006);
    await expect(open('/elsewhere')).rejects.toThrow('404');
    for (const path of ['/ws/no@such', '/stream?streams=btcusdt@trade/no@such', '/ws?timeUnit=MICROSECOND'])
      await expect(open(path)).rejects.toThrow('400');
  });

  it('duplicate, drop or reorder user events in bad weather', async () => {
    const keys = await venue.createAccount();
    const user = venue.clientOf(keys);
    await user.loadMarkets();
    const events = await userEvents(keys);
    const place = () => user.createOrder('BTC/USDT', 'limit', 'buy', 0.1, 60_000);
    await place();
    expect(await events(2)).toEqual(['NEW', 'outboundAccountPosition']);
    await venue.admin('PUT', 'weather', { duplicate_event_rate: 1 });
    await place();
    expect(await events(4)).toEqual(['NEW', 'NEW', 'outboundAccountPosition', 'outboundAccountPosition']);
    await venue.admin('PUT', 'weather', { lose_event_rate: 1 });
    await place();
    await venue.admin('PUT', 'weather', { reorder_event_rate: 1 });
    await place();
    expect(await events(2)).toEqual(['outboundAccountPosition', 'NEW']);
  });
});

describe('a connection of the stream server', () => {
  it('is dropped if its client leaves too many bytes unread', async () => {
    const http = createServer();
    const accepted: Peer[] = [];
    const fair = new Weather(seededRandom(1), Date.now);
    const server = new StreamServer(http, () => (peer) => accepted.push(peer), fair);
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    const client = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}/`);
    await once(client, 'open');
    client.pause();
    const [peer] = accepted;
    let isCut = false;
    peer?.onClose(() => {
      isCut = true;
    });
    const chunk = 'x'.repeat(64 * 1_024);
    // The kernel buffers of both ends also accept bytes, so the connection is cut later than at the limit.
    for (let sent = 0; !isCut && sent < 64 * MAX_UNSENT_BYTES; sent += chunk.length) {
      peer?.send(chunk);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(isCut).toBe(true);
    client.terminate();
    server.close();
    http.close();
  });
});
