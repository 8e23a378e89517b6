/** The behaviour of streams when the exchange or the network misbehaves. */
import { eventually } from '@trading-automation/runtime/testing';
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

describe('a stream with faults', () => {
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
  /** Loads the markets first: the tests concern the stream alone. */
  async function marketsRead(): Promise<void> {
    await eventually(async () => (await venue.fetchMarkets()).length > 0);
  }
  async function watched(): Promise<{ recorder: AccountStreamRecorder; socket: WebSocket }> {
    const recorder = new AccountStreamRecorder();
    client.watch(recorder);
    await recorder.connected();
    return { recorder, socket: streams.sockets.at(-1)! };
  }
  async function lostOf(recorder: AccountStreamRecorder | BookStreamRecorder): Promise<readonly string[]> {
    await recorder.until(() => recorder.lost.length > 0);
    return recorder.lost;
  }

  it('[EX-STR-11] is lost when the peer is connected but silent', async () => {
    open({ idleTimeoutMs: 200 });
    const { recorder, socket } = await watched();
    socket.pause();
    expect(await lostOf(recorder)).toEqual(['retryable/no_answer']);
  });

  it('[EX-STR-12] stays alive without events as long as the peer responds', async () => {
    open({ idleTimeoutMs: 500 });
    const { recorder, socket } = await watched();
    for (let pings = 0; pings < 8; pings += 1) await new Promise((resolve) => socket.once('ping', resolve));
    say(socket, { subscriptionId: 0, event: report });
    await recorder.until(() => recorder.orders.length > 0);
    expect(recorder.lost).toEqual([]);
  });

  it('[EX-STR-13] is lost if it is never granted', async () => {
    open({ timeoutMs: 200 });
    await marketsRead();
    streams.onRequest = () => undefined;
    const recorder = new AccountStreamRecorder();
    client.watch(recorder);
    expect(await lostOf(recorder)).toEqual(['retryable/no_answer']);
    expect(recorder.connections).toBe(0);
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
  ])('[EX-STR-14] is lost with the reason of its rejection: %s', async (_why, error, expected) => {
    const status = expected.endsWith('rate_limited') ? 429 : 400;
    streams.onRequest = (socket, { id }) => say(socket, { id, status, error });
    const recorder = new AccountStreamRecorder();
    client.watch(recorder);
    expect(await lostOf(recorder)).toEqual([expected]);
  });

  it.each<[string, (streams: ScriptedStreams) => void]>([
    ['dropped in the handshake', (at) => (at.onUpgrade = (socket) => socket.destroy())],
    ['rejected by HTTP', (at) => (at.onUpgrade = (socket) => socket.end('HTTP/1.1 503 No\r\n\r\n'))],
    [
      'redirected',
      (at) =>
        (at.onUpgrade = (socket) => socket.end('HTTP/1.1 307 Go\r\nlocation: http://127.0.0.1:9/\r\n\r\n')),
    ],
    ['never accepted', (at) => (at.onUpgrade = () => undefined)],
  ])('[EX-STR-15] is lost if the connection is %s', async (_how, misbehave) => {
    open({ timeoutMs: 200 });
    await marketsRead();
    misbehave(streams);
    const recorder = new AccountStreamRecorder();
    client.watch(recorder);
    expect(await lostOf(recorder)).toEqual(['retryable/unreachable']);
  });

  it.each<[string, string | object, string]>([
    ['something that is not JSON', '<html>', 'retryable/bad_answer'],
    [
      'an incomplete order',
      { subscriptionId: 0, event: { ...report, z: undefined } },
      'retryable/bad_answer',
    ],
    ['an invalid amount', { subscriptionId: 0, event: { ...report, l: 'much' } }, 'retryable/bad_answer'],
    ['the end', { subscriptionId: 0, event: { e: 'eventStreamTerminated', E: 1 } }, 'retryable/unreachable'],
  ])('[EX-STR-16] is lost if it sends %s: no event is skipped', async (_what, message, expected) => {
    const { recorder, socket } = await watched();
    say(socket, message);
    expect(await lostOf(recorder)).toEqual([expected]);
    say(socket, { subscriptionId: 0, event: report });
    expect([recorder.orders, recorder.lost.length]).toEqual([[], 1]);
  });

  it('[EX-STR-17] reports an order and its fill with every digit', async () => {
    const { recorder, socket } = await watched();
    const text = JSON.stringify({ subscriptionId: 0, event: report });
    say(socket, text.replace('"i":28', '"i":9007199254740993').replace('"t":77', '"t":9007199254740995'));
    await recorder.until(() => recorder.fills.length > 0);
    expect(recorder.orders).toEqual([
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
    expect(recorder.fills).toEqual([
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

  it('[EX-STR-18] identifies a cancelled order by its own client order id, not by that of the cancellation', async () => {
    const { recorder, socket } = await watched();
    const cancelled = { ...report, x: 'CANCELED', X: 'CANCELED', c: 'of-the-cancel', C: 'ta1' };
    say(socket, { subscriptionId: 0, event: cancelled });
    await recorder.until(() => recorder.orders.length > 0);
    expect(recorder.orders).toMatchObject([{ venueClientOrderId: 'ta1', status: 'CANCELLED' }]);
    expect(recorder.fills).toEqual([]);
  });

  it('[EX-STR-19] takes its weight from the budget, and shares a connection with other accounts', async () => {
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
    const recorder = new AccountStreamRecorder();
    const stream = client.watch(recorder);
    await stream.close();
    const second = client.watch(recorder);
    await recorder.connected();
    const closed = new Promise((resolve) => streams.sockets.at(-1)!.once('close', resolve));
    await second.close();
    await closed;
    expect([streams.sockets.length, recorder.lost, recorder.connections]).toEqual([1, [], 1]);
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
      const recorder = new BookStreamRecorder();
      venue.watchBook('BTC/USDT', recorder);
      await recorder.until(() => recorder.kinds.length > 0);
      return { recorder, socket: streams.sockets.at(-1)! };
    };

    it('[EX-BOOK-02] skips what the snapshot contains, and continues from it', async () => {
      depth(10);
      const { recorder, socket } = await followed();
      for (const [U, u] of [
        [5, 9],
        [8, 10],
        [9, 12],
        [13, 13],
      ] as const)
        say(socket, diff(U, u));
      await recorder.until(() => recorder.sequence === 13);
      expect([recorder.kinds, recorder.isGapless]).toEqual([['SNAPSHOT', 'DELTA', 'DELTA'], true]);
      expect(recorder.bids).toEqual([
        ['2', '13'],
        ['1', '10'],
      ]);
    });

    it('[EX-BOOK-03] is read again after a gap, until a snapshot closes the gap', async () => {
      depth(10);
      const { recorder, socket } = await followed();
      say(socket, diff(20, 21));
      // A snapshot from before the gap does not close it.
      await eventually(() => exchange.seenAt('/api/v3/depth').length >= 3);
      depth(22);
      await recorder.until(() => recorder.sequence === 22);
      say(socket, diff(23, 24));
      await recorder.until(() => recorder.sequence === 24);
      expect([recorder.kinds, recorder.isGapless, recorder.lost]).toEqual([
        ['SNAPSHOT', 'SNAPSHOT', 'DELTA'],
        true,
        [],
      ]);
      expect(recorder.bids).toEqual([
        ['2', '24'],
        ['1', '22'],
      ]);
    });

    it('[EX-BOOK-04] is lost if no snapshot is available', async () => {
      exchange.on('/api/v3/depth', respondWith('', 503));
      streams.onRequest = (socket, { id }) => say(socket, { id, result: null });
      const recorder = new BookStreamRecorder();
      venue.watchBook('BTC/USDT', recorder);
      expect(await lostOf(recorder)).toEqual(['retryable/unreachable']);
    });
  });
});
