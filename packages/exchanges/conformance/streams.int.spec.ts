/** Tests streams during failures of the exchange or the network. */
import { eventually } from '@trading-automation/runtime/testing';
import type { WebSocket } from 'ws';
import { createVenue, type VenueOptions, venueConfig } from '../src/ccxt/index.js';
import type { BudgetedCall, ExchangeClient, ExchangeVenue } from '../src/index.js';
import { respondWith, ScriptedExchangeServer } from './scripted-exchange.js';
import { ScriptedStreams, sendMessage } from './scripted-streams.js';
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
  let exchange: ScriptedExchangeServer;
  let streams: ScriptedStreams;
  let venue: ExchangeVenue;
  let client: ExchangeClient;
  const unhandledRejections: unknown[] = [];
  const recordRejection = (reason: unknown) => unhandledRejections.push(reason);
  beforeEach(async () => {
    process.on('unhandledRejection', recordRejection);
    exchange = await ScriptedExchangeServer.start();
    streams = await ScriptedStreams.start(exchange);
    open();
  });
  afterEach(async () => {
    await venue.close();
    await streams.close();
    await exchange.close();
    process.off('unhandledRejection', recordRejection);
    expect(unhandledRejections.splice(0)).toEqual([]);
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
  /** Loads the markets first, so that the test covers only the stream. */
  async function loadMarkets(): Promise<void> {
    await eventually(async () => (await venue.fetchMarkets()).length > 0);
  }
  async function watchAccount(): Promise<{ recorder: AccountStreamRecorder; socket: WebSocket }> {
    const recorder = new AccountStreamRecorder();
    client.watch(recorder);
    await recorder.connected();
    return { recorder, socket: streams.sockets.at(-1)! };
  }
  async function waitUntilLost(
    recorder: AccountStreamRecorder | BookStreamRecorder,
  ): Promise<readonly string[]> {
    await recorder.until(() => recorder.lost.length > 0);
    return recorder.lost;
  }

  it('[EX-STR-11] is lost when the peer is connected but silent', async () => {
    open({ idleTimeoutMs: 200 });
    const { recorder, socket } = await watchAccount();
    socket.pause();
    expect(await waitUntilLost(recorder)).toEqual(['retryable/no_answer']);
  });

  it('[EX-STR-12] stays alive without events as long as the peer responds', async () => {
    open({ idleTimeoutMs: 500 });
    const { recorder, socket } = await watchAccount();
    for (let pings = 0; pings < 8; pings += 1) await new Promise((resolve) => socket.once('ping', resolve));
    sendMessage(socket, { subscriptionId: 0, event: report });
    await recorder.until(() => recorder.orders.length > 0);
    expect(recorder.lost).toEqual([]);
  });

  it('[EX-STR-13] is lost if its subscription is never confirmed', async () => {
    open({ timeoutMs: 200 });
    await loadMarkets();
    streams.onRequest = () => undefined;
    const recorder = new AccountStreamRecorder();
    client.watch(recorder);
    expect(await waitUntilLost(recorder)).toEqual(['retryable/no_answer']);
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
    ['a wrong clock', { code: -1021, msg: 'Timestamp outside of the recvWindow.' }, 'retryable/refused'],
    ['too many requests', { code: -1003, msg: 'Too many requests.' }, 'retryable/rate_limited'],
    ['an unknown reason', { code: -9999, msg: 'Next year.' }, 'rejected/refused'],
  ])('[EX-STR-14] is lost with the reason of its rejection: %s', async (_why, error, expected) => {
    const status = expected.endsWith('rate_limited') ? 429 : 400;
    streams.onRequest = (socket, { id }) => sendMessage(socket, { id, status, error });
    const recorder = new AccountStreamRecorder();
    client.watch(recorder);
    expect(await waitUntilLost(recorder)).toEqual([expected]);
  });

  it.each<[string, (streams: ScriptedStreams) => void]>([
    ['dropped in the handshake', (server) => (server.onUpgrade = (socket) => socket.destroy())],
    ['rejected by HTTP', (server) => (server.onUpgrade = (socket) => socket.end('HTTP/1.1 503 No\r\n\r\n'))],
    [
      'redirected',
      (server) =>
        (server.onUpgrade = (socket) =>
          socket.end('HTTP/1.1 307 Go\r\nlocation: http://127.0.0.1:9/\r\n\r\n')),
    ],
    ['never accepted', (server) => (server.onUpgrade = () => undefined)],
  ])('[EX-STR-15] is lost if the connection is %s', async (_how, misbehave) => {
    open({ timeoutMs: 200 });
    await loadMarkets();
    misbehave(streams);
    const recorder = new AccountStreamRecorder();
    client.watch(recorder);
    expect(await waitUntilLost(recorder)).toEqual(['retryable/unreachable']);
  });

  it.each<[string, string | object, string]>([
    ['text that is not JSON', '<html>', 'retryable/bad_answer'],
    [
      'an incomplete order',
      { subscriptionId: 0, event: { ...report, z: undefined } },
      'retryable/bad_answer',
    ],
    ['an invalid amount', { subscriptionId: 0, event: { ...report, l: 'much' } }, 'retryable/bad_answer'],
    [
      'a termination event',
      { subscriptionId: 0, event: { e: 'eventStreamTerminated', E: 1 } },
      'retryable/unreachable',
    ],
  ])(
    '[EX-STR-16] is lost after %s, so that no event is skipped unnoticed',
    async (_what, message, expected) => {
      const { recorder, socket } = await watchAccount();
      sendMessage(socket, message);
      expect(await waitUntilLost(recorder)).toEqual([expected]);
      sendMessage(socket, { subscriptionId: 0, event: report });
      expect([recorder.orders, recorder.lost.length]).toEqual([[], 1]);
    },
  );

  it('[EX-STR-17] reports an order and its fill with every digit', async () => {
    const { recorder, socket } = await watchAccount();
    const text = JSON.stringify({ subscriptionId: 0, event: report });
    sendMessage(
      socket,
      text.replace('"i":28', '"i":9007199254740993').replace('"t":77', '"t":9007199254740995'),
    );
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
    const { recorder, socket } = await watchAccount();
    const cancelled = { ...report, x: 'CANCELED', X: 'CANCELED', c: 'id-of-the-cancellation', C: 'ta1' };
    sendMessage(socket, { subscriptionId: 0, event: cancelled });
    await recorder.until(() => recorder.orders.length > 0);
    expect(recorder.orders).toMatchObject([{ venueClientOrderId: 'ta1', status: 'CANCELLED' }]);
    expect(recorder.fills).toEqual([]);
  });

  it('[EX-STR-19] takes its request weight from the budget, and shares a connection with other account streams', async () => {
    const budgetCalls: BudgetedCall[] = [];
    open({ budget: { take: async (call) => void budgetCalls.push(call), pause: () => undefined } });
    let ids = 0;
    streams.onRequest = (socket, { id }) =>
      sendMessage(socket, { id, status: 200, result: { subscriptionId: ids++ } });
    await Promise.all([watchAccount(), watchAccount(), watchAccount()]);
    expect(budgetCalls.filter(({ accountKey }) => accountKey === 'exa_1')).toEqual(
      Array.from({ length: 3 }, () =>
        expect.objectContaining({ venue: 'x', weight: 2, isOrder: false, purpose: 'resume' }),
      ),
    );
    expect(streams.sockets).toHaveLength(1);
  });

  it('[EX-STR-20] closes its connection when it is closed, and opens none if it is closed at once', async () => {
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

  describe('of an order book', () => {
    const setSnapshot = (lastUpdateId: number) =>
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
    const watchBook = async () => {
      streams.onRequest = (socket, { id }) => sendMessage(socket, { id, result: null });
      const recorder = new BookStreamRecorder();
      venue.watchBook('BTC/USDT', recorder);
      await recorder.until(() => recorder.kinds.length > 0);
      return { recorder, socket: streams.sockets.at(-1)! };
    };

    it('[EX-BOOK-02] skips changes that the snapshot contains, and continues after it', async () => {
      setSnapshot(10);
      const { recorder, socket } = await watchBook();
      for (const [U, u] of [
        [5, 9],
        [8, 10],
        [9, 12],
        [13, 13],
      ] as const)
        sendMessage(socket, diff(U, u));
      await recorder.until(() => recorder.sequence === 13);
      expect([recorder.kinds, recorder.isGapless]).toEqual([['SNAPSHOT', 'DELTA', 'DELTA'], true]);
      expect(recorder.bids).toEqual([
        ['2', '13'],
        ['1', '10'],
      ]);
    });

    it('[EX-BOOK-03] requests snapshots after a gap until one of them closes the gap', async () => {
      setSnapshot(10);
      const { recorder, socket } = await watchBook();
      sendMessage(socket, diff(20, 21));
      // A snapshot from before the gap does not close it.
      await eventually(() => exchange.requestsTo('/api/v3/depth').length >= 3);
      setSnapshot(22);
      await recorder.until(() => recorder.sequence === 22);
      sendMessage(socket, diff(23, 24));
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
      streams.onRequest = (socket, { id }) => sendMessage(socket, { id, result: null });
      const recorder = new BookStreamRecorder();
      venue.watchBook('BTC/USDT', recorder);
      expect(await waitUntilLost(recorder)).toEqual(['retryable/unreachable']);
    });
  });
});
