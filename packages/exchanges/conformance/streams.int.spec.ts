/** What becomes of a stream when the exchange, or the way to it, misbehaves on it. */
import type { WebSocket } from 'ws';
import { createVenue, type VenueOptions, venueConfig } from '../src/ccxt/index.js';
import type { BudgetedCall, ExchangeClient, ExchangeVenue } from '../src/index.js';
import { respondWith, ScriptedExchange } from './scripted-exchange.js';
import { ScriptedStreams, say } from './scripted-streams.js';
import { AccountStreamRecorder, BookStreamRecorder } from './stream-recorders.js';

const report = {
  e: 'executionReport',
  E: 1_700_000_000_009,
  s: 'BTCUSDT',
  c: 'ta1',
  S: 'SELL',
  o: 'LIMIT_MAKER',
  f: 'GTC',
  q: '123456789.12345678',
  p: '98765432.00000001',
  P: '0.00000000',
  F: '0.00000000',
  g: -1,
  C: '',
  x: 'TRADE',
  X: 'PARTIALLY_FILLED',
  r: 'NONE',
  i: 28,
  l: '0.00000001',
  z: '0.00000003',
  L: '98765432.00000002',
  n: '0.00000000',
  N: null,
  T: 1_700_000_000_008,
  t: 77,
  m: true,
  O: 1_700_000_000_001,
};

describe('a stream on which things go wrong', () => {
  let exchange: ScriptedExchange;
  let streams: ScriptedStreams;
  let venue: ExchangeVenue;
  let client: ExchangeClient;
  const strays: unknown[] = [];
  const onStray = (reason: unknown) => strays.push(reason);
  beforeEach(async () => {
    process.on('unhandledRejection', onStray);
    exchange = await ScriptedExchange.start();
    streams = await ScriptedStreams.start(exchange);
    open();
  });
  afterEach(async () => {
    await venue.close();
    await streams.close();
    await exchange.close();
    process.off('unhandledRejection', onStray);
    expect(strays.splice(0)).toEqual([]);
  });

  function open(options: VenueOptions & { readonly timeoutMs?: number } = {}): void {
    const { timeoutMs = 10_000, ...rest } = options;
    const config = {
      id: 'x',
      name: 'X',
      adapter: 'binance',
      tradingTypes: ['spot'],
      url: streams.url,
      timeoutMs,
    };
    venue = createVenue(venueConfig.parse(config), rest);
    client = venue.connect({ apiKey: 'key', apiSecret: 'secret' }, 'spot', { accountKey: 'exa_1' });
  }
  /** However long that takes: what follows is to happen on the stream alone. */
  async function marketsRead(): Promise<void> {
    while ((await venue.fetchMarkets().catch(() => [])).length === 0);
  }
  async function watched(): Promise<{ heard: AccountStreamRecorder; socket: WebSocket }> {
    const heard = new AccountStreamRecorder();
    client.watch(heard);
    await heard.connected();
    return { heard, socket: streams.sockets.at(-1)! };
  }
  async function lostOf(heard: AccountStreamRecorder | BookStreamRecorder): Promise<readonly string[]> {
    await heard.until(() => heard.lost.length > 0);
    return heard.lost;
  }

  it('[EX-STR-11] is lost when the peer is there and says nothing, though no connection was closed', async () => {
    open({ idleTimeoutMs: 200 });
    const { heard, socket } = await watched();
    socket.pause();
    expect(await lostOf(heard)).toEqual(['retryable/no_answer']);
  });

  it('[EX-STR-12] lives on without events for as long as the peer answers', async () => {
    open({ idleTimeoutMs: 500 });
    const { heard, socket } = await watched();
    for (let pings = 0; pings < 8; pings += 1) await new Promise((resolve) => socket.once('ping', resolve));
    say(socket, { subscriptionId: 0, event: report });
    await heard.until(() => heard.orders.length > 0);
    expect(heard.lost).toEqual([]);
  });

  it('[EX-STR-13] is lost where it is never granted', async () => {
    open({ timeoutMs: 200 });
    await marketsRead();
    streams.onRequest = () => undefined;
    const heard = new AccountStreamRecorder();
    client.watch(heard);
    expect(await lostOf(heard)).toEqual(['retryable/no_answer']);
    expect(heard.connections).toBe(0);
  });

  it.each<[string, object, string]>([
    [
      'a wrong signature',
      { code: -1022, msg: 'Signature for this request is not valid.' },
      'fatal/credentials_rejected',
    ],
    [
      'a revoked key',
      { code: -2015, msg: 'Invalid API-key, IP, or permissions.' },
      'fatal/credentials_rejected',
    ],
    [
      'a clock that is off',
      { code: -1021, msg: 'Timestamp outside of the recvWindow.' },
      'retryable/refused',
    ],
    ['too many requests', { code: -1003, msg: 'Too many requests.' }, 'retryable/rate_limited'],
    ['no reason that is known', { code: -9999, msg: 'Next year.' }, 'rejected/refused'],
  ])('[EX-STR-14] is lost as what it was refused for: %s', async (_why, error, expected) => {
    const status = expected.endsWith('rate_limited') ? 429 : 400;
    streams.onRequest = (socket, { id }) => say(socket, { id, status, error });
    const heard = new AccountStreamRecorder();
    client.watch(heard);
    expect(await lostOf(heard)).toEqual([expected]);
  });

  it.each<[string, (streams: ScriptedStreams) => void]>([
    ['cut in the handshake', (at) => (at.onUpgrade = (socket) => socket.destroy())],
    ['refused in HTTP', (at) => (at.onUpgrade = (socket) => socket.end('HTTP/1.1 503 No\r\n\r\n'))],
    [
      'redirected',
      (at) =>
        (at.onUpgrade = (socket) => socket.end('HTTP/1.1 307 Go\r\nlocation: http://127.0.0.1:9/\r\n\r\n')),
    ],
    ['never answered', (at) => (at.onUpgrade = () => undefined)],
  ])('[EX-STR-15] is lost where the connection is %s', async (_how, misbehave) => {
    open({ timeoutMs: 200 });
    await marketsRead();
    misbehave(streams);
    const heard = new AccountStreamRecorder();
    client.watch(heard);
    expect(await lostOf(heard)).toEqual(['retryable/unreachable']);
  });

  it.each<[string, string | object, string]>([
    ['something that is not JSON', '<html>', 'retryable/bad_answer'],
    ['half an order', { subscriptionId: 0, event: { ...report, z: undefined } }, 'retryable/bad_answer'],
    [
      'an amount that is none',
      { subscriptionId: 0, event: { ...report, l: 'much' } },
      'retryable/bad_answer',
    ],
    ['the end', { subscriptionId: 0, event: { e: 'eventStreamTerminated', E: 1 } }, 'retryable/unreachable'],
  ])('[EX-STR-16] is lost when it tells %s: nothing is passed over', async (_what, message, expected) => {
    const { heard, socket } = await watched();
    say(socket, message);
    expect(await lostOf(heard)).toEqual([expected]);
    say(socket, { subscriptionId: 0, event: report });
    expect([heard.orders, heard.lost.length]).toEqual([[], 1]);
  });

  it('[EX-STR-17] tells an order and its fill with every digit', async () => {
    const { heard, socket } = await watched();
    const text = JSON.stringify({ subscriptionId: 0, event: report });
    say(socket, text.replace('"i":28', '"i":9007199254740993').replace('"t":77', '"t":9007199254740995'));
    await heard.until(() => heard.fills.length > 0);
    expect(heard.orders).toEqual([
      {
        exchangeOrderId: '9007199254740993',
        venueClientOrderId: 'ta1',
        symbol: 'BTC/USDT',
        side: 'SELL',
        type: 'LIMIT',
        timeInForce: 'POST_ONLY',
        price: '98765432.00000001',
        status: 'OPEN',
        amount: '123456789.12345678',
        filledAmount: '0.00000003',
        createdAt: new Date(1_700_000_000_001),
        updatedAt: new Date(1_700_000_000_008),
      },
    ]);
    expect(heard.fills).toEqual([
      {
        exchangeFillId: '9007199254740995',
        exchangeOrderId: '9007199254740993',
        venueClientOrderId: 'ta1',
        symbol: 'BTC/USDT',
        side: 'SELL',
        price: '98765432.00000002',
        amount: '0.00000001',
        fee: { amount: '0', currency: 'USDT' },
        liquidity: 'MAKER',
        executedAt: new Date(1_700_000_000_008),
      },
    ]);
  });

  it('[EX-STR-18] names a cancelled order by its own client order id, not by that of the cancel', async () => {
    const { heard, socket } = await watched();
    const cancelled = { ...report, x: 'CANCELED', X: 'CANCELED', c: 'of-the-cancel', C: 'ta1' };
    say(socket, { subscriptionId: 0, event: cancelled });
    await heard.until(() => heard.orders.length > 0);
    expect(heard.orders).toMatchObject([{ venueClientOrderId: 'ta1', status: 'CANCELLED' }]);
    expect(heard.fills).toEqual([]);
  });

  it('[EX-STR-19] asks the budget for its turn, and shares a connection with other accounts', async () => {
    const taken: BudgetedCall[] = [];
    open({ budget: { take: async (call) => void taken.push(call), pause: () => undefined } });
    let ids = 0;
    streams.onRequest = (socket, { id }) =>
      say(socket, { id, status: 200, result: { subscriptionId: ids++ } });
    await Promise.all([watched(), watched(), watched()]);
    expect(taken.filter(({ accountKey }) => accountKey === 'exa_1')).toEqual(
      Array.from({ length: 3 }, () => ({ venue: 'x', accountKey: 'exa_1', weight: 2, isOrder: false })),
    );
    expect(streams.sockets).toHaveLength(1);
  });

  it('[EX-STR-20] leaves no connection and no timer behind once it is closed', async () => {
    const heard = new AccountStreamRecorder();
    const stream = client.watch(heard);
    await stream.close();
    const second = client.watch(heard);
    await heard.connected();
    const closed = new Promise((resolve) => streams.sockets.at(-1)!.once('close', resolve));
    await second.close();
    await closed;
    expect([streams.sockets.length, heard.lost, heard.connections]).toEqual([1, [], 1]);
  });

  describe('a book', () => {
    const depth = (lastUpdateId: number) =>
      exchange.on(
        '/api/v3/depth',
        respondWith({ lastUpdateId, bids: [['1', String(lastUpdateId)]], asks: [] }),
      );
    const diff = (U: number, u: number) => ({
      e: 'depthUpdate',
      E: 1,
      s: 'BTCUSDT',
      U,
      u,
      b: [['2', `${u}`]],
      a: [],
    });
    const followed = async () => {
      streams.onRequest = (socket, { id }) => say(socket, { id, result: null });
      const heard = new BookStreamRecorder();
      venue.watchBook('BTC/USDT', heard);
      await heard.until(() => heard.kinds.length > 0);
      return { heard, socket: streams.sockets.at(-1)! };
    };

    it('[EX-BOOK-02] leaves out what the snapshot has, and joins what goes on from it', async () => {
      depth(10);
      const { heard, socket } = await followed();
      for (const [U, u] of [
        [5, 9],
        [8, 10],
        [9, 12],
        [13, 13],
      ] as const)
        say(socket, diff(U, u));
      await heard.until(() => heard.sequence === 13);
      expect([heard.kinds, heard.isGapless]).toEqual([['SNAPSHOT', 'DELTA', 'DELTA'], true]);
      expect(heard.bids).toEqual([
        ['2', '13'],
        ['1', '10'],
      ]);
    });

    it('[EX-BOOK-03] is read anew after a gap, until a snapshot closes it', async () => {
      depth(10);
      const { heard, socket } = await followed();
      say(socket, diff(20, 21));
      // The snapshot of before the gap doesn't close it.
      while (exchange.seenAt('/api/v3/depth').length < 3)
        await new Promise((resolve) => setTimeout(resolve, 20));
      depth(22);
      await heard.until(() => heard.sequence === 22);
      say(socket, diff(23, 24));
      await heard.until(() => heard.sequence === 24);
      expect([heard.kinds, heard.isGapless, heard.lost]).toEqual([
        ['SNAPSHOT', 'SNAPSHOT', 'DELTA'],
        true,
        [],
      ]);
      expect(heard.bids).toEqual([
        ['2', '24'],
        ['1', '22'],
      ]);
    });

    it('[EX-BOOK-04] is lost where no snapshot can be had', async () => {
      exchange.on('/api/v3/depth', respondWith('', 503));
      streams.onRequest = (socket, { id }) => say(socket, { id, result: null });
      const heard = new BookStreamRecorder();
      venue.watchBook('BTC/USDT', heard);
      expect(await lostOf(heard)).toEqual(['retryable/unreachable']);
    });
  });
});
