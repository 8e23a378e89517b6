import { readFileSync } from 'node:fs';
import { WebSocket } from 'ws';
import { shapeDifferences } from './testing/json-shape.js';
import { type Keys, retryUntil, TestPaperExchange } from './testing/test-paper-exchange.js';

const SYMBOL = 'BTC/USDT:USDT';
const { events: recorded } = JSON.parse(
  readFileSync(new URL('./testing/recorded-usdm.json', import.meta.url), 'utf8'),
) as { readonly events: Record<string, unknown> };

interface Event {
  readonly e: string;
  readonly s?: string;
  readonly o?: Record<string, unknown>;
  readonly a?: {
    readonly m: string;
    readonly B: Record<string, unknown>[];
    readonly P: Record<string, unknown>[];
  };
}

/** Fields of events that were recorded for a trailing stop only. */
const TRAILING_FIELDS = ['o.AP', 'o.cr'];

describe('the futures streams', () => {
  let venue: TestPaperExchange;
  let keys: Keys;
  const sockets: WebSocket[] = [];
  beforeEach(async () => {
    venue = await TestPaperExchange.start();
    keys = await venue.createFuturesAccount();
    await venue.admin('POST', 'market', { symbol: 'BTC/USDT', price: '60000', mark_price: '60000' });
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.terminate();
    await venue.stop();
  });

  const order = (terms: Record<string, string>) =>
    venue.call('POST', '/fapi/v1/order', { symbol: 'BTCUSDT', type: 'MARKET', ...terms }, keys);
  const buy = (quantity = '0.01') => order({ side: 'BUY', quantity });
  const sell = (quantity = '0.01') => order({ side: 'SELL', quantity });

  /** Opens a connection and collects what it receives. */
  async function connect(path: string): Promise<{ events: Event[]; socket: WebSocket }> {
    const socket = new WebSocket(`${venue.url.replace('http', 'ws')}${path}`);
    sockets.push(socket);
    const events: Event[] = [];
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as { data?: Event } & Event;
      events.push(message.data ?? message);
    });
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return { events, socket };
  }

  async function connectUser() {
    const { body } = await venue.call<{ listenKey: string }>('POST', '/fapi/v1/listenKey', {}, keys);
    return { ...(await connect(`/private/ws?listenKey=${body.listenKey}`)), listenKey: body.listenKey };
  }

  /** Waits until an event matches. */
  async function until(events: readonly Event[], matches: (event: Event) => boolean): Promise<Event> {
    for (;;) {
      const found = events.find(matches);
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  const named = (name: string) => (event: Event) => event.e === name;

  it('keep the order book, trades and prices of an unmodified ccxt.pro client up to date', async () => {
    const watcher = await venue.createFuturesWatcher(keys);
    const book = await retryUntil(watcher.watchOrderBook(SYMBOL), () => buy());
    expect(book.bids[0]?.[0]).toBe(59_994);
    const [trade] = await retryUntil(watcher.watchTrades(SYMBOL), () => buy());
    expect(trade).toMatchObject({ symbol: SYMBOL, side: 'buy', price: 60_006, amount: 0.01 });
    expect(await watcher.watchMarkPrice(SYMBOL)).toMatchObject({
      markPrice: 60_000,
    });
    expect(await watcher.watchTicker(SYMBOL)).toMatchObject({ symbol: SYMBOL, last: 60_006 });
    expect((await watcher.watchOHLCV(SYMBOL, '1m'))[0]?.[4]).toBe(60_006);
  });

  it('send an unmodified ccxt.pro client its orders, positions and balances', async () => {
    const watcher = await venue.createFuturesWatcher(keys);
    await watcher.loadMarkets();
    // The snapshots that ccxt fetches on its own would still be pending at the end of the test.
    watcher.options.watchPositions = { fetchPositionsSnapshot: false, awaitPositionsSnapshot: false };
    watcher.options.watchBalance = { fetchBalanceSnapshot: false, awaitBalanceSnapshot: false };
    const orders = await retryUntil(watcher.watchOrders(SYMBOL), () => buy());
    expect(orders[0]).toMatchObject({ symbol: SYMBOL, side: 'buy', amount: 0.01 });
    const trades = await retryUntil(watcher.watchMyTrades(SYMBOL), () => sell());
    expect(trades[0]).toMatchObject({ symbol: SYMBOL, amount: 0.01 });
    const positions = await retryUntil(watcher.watchPositions([SYMBOL]), () => buy());
    expect(positions[0]).toMatchObject({ symbol: SYMBOL, side: 'long' });
    const balance = await retryUntil(watcher.watchBalance(), () => sell());
    expect((balance as unknown as { USDT: { total: number } }).USDT.total).toBeLessThan(10_000);
  });

  it.each([
    ['Book', 'btcusdt@depth@100ms'],
    ['PartialBook', 'btcusdt@depth5@100ms'],
    ['AggTrades', 'btcusdt@aggTrade'],
    ['BookTicker', 'btcusdt@bookTicker'],
    ['Klines', 'btcusdt@kline_1m'],
    ['MarkPrice', 'btcusdt@markPrice@1s'],
    ['MiniTicker', 'btcusdt@miniTicker'],
    ['Ticker', 'btcusdt@ticker'],
  ])('send %s events with the recorded fields and JSON types', async (name, stream) => {
    const { events } = await connect(`/market/stream?streams=${stream}`);
    // A depth event may contain one side only.
    const hasRows = (event: Event) => name !== 'Book' || !JSON.stringify(event).includes('[]');
    let price = 60_000;
    const event = await retryUntil(
      until(events, (one) => one.e !== undefined && hasRows(one)),
      async () => {
        price = 120_010 - price;
        await venue.admin('POST', 'market', { symbol: SYMBOL, price });
        await buy();
      },
    );
    expect(shapeDifferences(recorded[name], event)).toEqual([]);
  });

  it('send user events with the recorded fields and JSON types, in the order of the changes', async () => {
    const { events } = await connectUser();
    await venue.call('POST', '/fapi/v1/leverage', { symbol: 'BTCUSDT', leverage: 50 }, keys);
    await buy('1');
    const algo = {
      symbol: 'BTCUSDT',
      side: 'SELL',
      type: 'STOP_MARKET',
      algoType: 'CONDITIONAL',
      quantity: '0.1',
    };
    await venue.call('POST', '/fapi/v1/algoOrder', { ...algo, triggerPrice: '50000' }, keys);
    await venue.admin('POST', 'funding', { symbol: SYMBOL, rate: '0.001' });
    await venue.admin('POST', 'market', { symbol: SYMBOL, price: '60000', mark_price: '50300' });
    await until(events, named('MARGIN_CALL'));
    const at = (name: string, m?: string) =>
      events.findIndex((event) => event.e === name && (m === undefined || event.a?.m === m));
    expect(at('ACCOUNT_CONFIG_UPDATE')).toBeLessThan(at('ACCOUNT_UPDATE', 'ORDER'));
    expect(at('ACCOUNT_UPDATE', 'ORDER')).toBeLessThan(at('ALGO_UPDATE'));
    expect(at('ALGO_UPDATE')).toBeLessThan(at('ACCOUNT_UPDATE', 'FUNDING_FEE'));
    for (const [name, type] of [
      ['Leverage', 'ACCOUNT_CONFIG_UPDATE'],
      ['AccountUpdate', 'ACCOUNT_UPDATE'],
      ['OrderUpdate', 'ORDER_TRADE_UPDATE'],
      ['AlgoOrderUpdate', 'ALGO_UPDATE'],
      ['MarginUpdate', 'MARGIN_CALL'],
    ] as const) {
      const differences = shapeDifferences(recorded[name], events.find(named(type)));
      expect(differences.filter((line) => !TRAILING_FIELDS.some((field) => line.startsWith(field)))).toEqual(
        [],
      );
    }
    const trade = events.findLast(({ o }) => o?.x === 'TRADE');
    expect(trade?.o).toMatchObject({
      X: 'FILLED',
      l: '0.111',
      z: '1.000',
      L: '60012.0',
      N: 'USDT',
      rp: '0.00000000',
    });
  });

  it('send the orders of a liquidation to its user and to everyone', async () => {
    const { events } = await connectUser();
    const { events: public_ } = await connect('/fstream.binance.com/ws/!forceOrder@arr');
    await venue.call('POST', '/fapi/v1/leverage', { symbol: 'BTCUSDT', leverage: 100 }, keys);
    await buy('2');
    await venue.admin('POST', 'market', { symbol: SYMBOL, price: '60000', mark_price: '55000' });
    const forced = await until(public_, named('forceOrder'));
    expect(shapeDifferences(recorded.Liquidations, forced)).toEqual([]);
    expect(forced.o).toMatchObject({ S: 'SELL', X: 'FILLED', z: '2.000' });
    const own = await until(events, ({ o }) => o?.x === 'CALCULATED');
    expect(own.o).toMatchObject({ o: 'LIQUIDATION', X: 'FILLED', c: expect.stringMatching(/^autoclose-/) });
    const last = events.findLast(({ a }) => a !== undefined);
    expect(last?.a).toMatchObject({ m: 'INSURANCE_CLEAR' });
  });

  it('separate futures from spot by base path, by host and by listen key', async () => {
    const { events: futures } = await connect('/public/ws/btcusdt@aggTrade');
    const { events: spot } = await connect('/ws/btcusdt@aggTrade');
    await buy();
    await until(futures, named('aggTrade'));
    expect(spot).toEqual([]);
    const { body } = await venue.call<{ listenKey: string }>('POST', '/fapi/v1/listenKey', {}, keys);
    const { events } = await connect(`/ws/${body.listenKey}`);
    await buy();
    await until(events, named('ORDER_TRADE_UPDATE'));
    await expect(connect('/public/ws/btcusdt@unknown')).rejects.toThrow('400');
    await expect(connect('/private/ws?listenKey=unknown')).rejects.toThrow('400');
    await expect(connect('/fstream.binance.com/unknown')).rejects.toThrow('404');
  });

  it('send a connection only the user events that its URL names', async () => {
    const { events: all, listenKey } = await connectUser();
    const path = `/private/ws?listenKey=${listenKey}&events=`;
    const { events } = await connect(`${path}ACCOUNT_UPDATE/listenKeyExpired`);
    await buy();
    await until(all, named('ACCOUNT_UPDATE'));
    await until(events, named('ACCOUNT_UPDATE'));
    await venue.call('DELETE', '/fapi/v1/listenKey', { listenKey }, keys);
    await until(events, named('listenKeyExpired'));
    expect(all.map(({ e }) => e)).toContain('ORDER_TRADE_UPDATE');
    expect(events.map(({ e }) => e)).toEqual(['ACCOUNT_UPDATE', 'listenKeyExpired']);
    await expect(connect(`${path}UNKNOWN`)).rejects.toThrow('400');
  });

  it('end with listenKeyExpired when the listen key is closed', async () => {
    const { events, listenKey } = await connectUser();
    const params = { listenKey };
    expect((await venue.call('PUT', '/fapi/v1/listenKey', params, keys)).body).toEqual({ listenKey });
    expect((await venue.call('DELETE', '/fapi/v1/listenKey', {}, keys)).status).toBe(200);
    expect(await until(events, named('listenKeyExpired'))).toMatchObject({ listenKey });
    expect((await venue.call('PUT', '/fapi/v1/listenKey', params, keys)).body).toMatchObject({ code: -1125 });
  });

  it('duplicate, reorder and lose user events in bad weather, like those of spot', async () => {
    const { events } = await connectUser();
    await venue.admin('PUT', 'weather', { duplicate_event_rate: 1 });
    await buy();
    const fills = () => events.filter(({ o }) => o?.x === 'TRADE');
    await until(events, () => fills().length === 2);
    await venue.admin('PUT', 'weather', { lose_event_rate: 1 });
    await buy();
    await venue.admin('PUT', 'weather', { partial_fill_rate: 1 });
    await buy('0.03');
    await until(events, () => fills().length === 5);
    expect(fills().map(({ o }) => o?.l)).toEqual(['0.010', '0.010', '0.010', '0.010', '0.010']);
  });

  it('come beside a WebSocket API, on which an unmodified ccxt.pro client trades', async () => {
    const client = await venue.createFuturesWatcher(keys);
    await client.loadMarkets();
    const placed = await client.createOrderWs(SYMBOL, 'limit', 'buy', 0.01, 59_000);
    expect(placed).toMatchObject({ status: 'open', price: 59_000 });
    expect(await client.cancelOrderWs(placed.id as string, SYMBOL)).toMatchObject({ status: 'canceled' });
    expect(await client.createOrderWs(SYMBOL, 'market', 'buy', 0.01)).toMatchObject({ filled: 0.01 });
    expect(await client.fetchPositionsWs([SYMBOL])).toMatchObject([{ side: 'long', contracts: 0.01 }]);
    const { events, socket } = await connect('/ws-fapi/v1');
    socket.send(JSON.stringify({ id: 1, method: 'userDataStream.subscribe', params: {} }));
    const refused = await until(events, (event) => 'status' in event);
    expect(refused).toMatchObject({ id: 1, error: { code: -1020 } });
  });
});
