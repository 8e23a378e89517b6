import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import type { StreamReader, StreamReport, VenueSession } from '../../ccxt/declaration.js';
import { htxFills, htxOrders } from './calls.js';
import { prepareHtx } from './client.js';
import { htxMarketStream } from './market-streams.js';
import { readHtxFill, readHtxOrder } from './records.js';
import { htxAccountStream } from './streams.js';
import { htx } from './venue.js';

type Endpoints = Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => Promise<unknown>>>;

const none = async () => ({ data: [] });

/** A session in which the exchange finds no order by its client order id. */
function sessionWith(endpoints: Endpoints): VenueSession {
  const ccxt = {
    options: {},
    market: () => ({ id: 'btcusdt', base: 'BTC', quote: 'USDT', precision: {} }),
    markets_by_id: { btcusdt: [{ symbol: 'BTC/USDT' }] },
    safeCurrencyCode: (code: string) => code.toUpperCase(),
    spotPrivateGetV1AccountAccounts: async () => ({ data: [{ id: 7, type: 'spot', state: 'working' }] }),
    spotPrivateGetV1OrderOpenOrders: none,
    spotPrivateGetV1OrderOrders: none,
    ...endpoints,
  } as unknown as CcxtClient;
  return { ccxt, orNull: async () => null };
}

const record = {
  id: 357632718898331,
  symbol: 'btcusdt',
  'client-order-id': 'ta1',
  amount: '0.2',
  price: '60000',
  'created-at': 1_630_649_406_687,
  type: 'buy-limit',
  source: 'spot-api',
  state: 'submitted',
};
const key = { symbol: 'BTC/USDT', venueClientOrderId: 'ta1' };
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

describe('when the absence of an order at HTX is proven', () => {
  it.each([
    ['soon after the sending', 1, 'ABSENT'],
    ['before the exchange forgets ended orders', 95, 'ABSENT'],
    ['later, when it may have forgotten a cancelled order', 105, 'NOT_KNOWN'],
    ['without a time', undefined, 'NOT_KNOWN'],
  ])('%s', async (_what, minutes, outcome) => {
    const sentAt = minutes === undefined ? undefined : minutesAgo(minutes);
    expect(await htxOrders.find(sessionWith({}), { ...key, sentAt })).toEqual({ outcome });
  });
});

it('HTX finds a market purchase by its marked client order id', async () => {
  const session = sessionWith({
    spotPrivateGetV1OrderOrdersGetClientOrder: async ({ clientOrderId }) => ({
      data: { ...record, type: 'buy-ioc', state: 'filled', 'client-order-id': clientOrderId },
    }),
  });
  // An IOC order without the mark is no market purchase, so only the second answer is accepted.
  const orNull = async <T>(call: () => Promise<T>) => {
    const order = (await call()) as { readonly type?: string };
    return order.type === 'MARKET' ? (order as T) : null;
  };
  expect(await htxOrders.find({ ...session, orNull }, key)).toMatchObject({
    outcome: 'FOUND',
    order: { type: 'MARKET', venueClientOrderId: 'ta1' },
  });
});

describe('orders whose client order id HTX has forgotten', () => {
  const listed = async () => ({ data: [record] });

  it('are found among the open orders, and in the list of ended orders', async () => {
    const open = sessionWith({ spotPrivateGetV1OrderOpenOrders: listed });
    const filled = { ...record, state: 'filled', 'field-amount': '0.2' };
    const ended = sessionWith({ spotPrivateGetV1OrderOrders: async () => ({ data: [filled] }) });
    const sentAt = minutesAgo(600);
    expect([
      await htxOrders.find(open, { ...key, sentAt }),
      await htxOrders.find(ended, { ...key, sentAt }),
    ]).toMatchObject([
      { outcome: 'FOUND', order: { status: 'OPEN' } },
      { outcome: 'FOUND', order: { status: 'FILLED', filledAmount: '0.2' } },
    ]);
  });

  it('are cancelled by the id of the exchange', async () => {
    const cancelled: unknown[] = [];
    const session = sessionWith({
      spotPrivatePostV1OrderOrdersSubmitCancelClientOrder: async () => ({ data: 0 }),
      spotPrivateGetV1OrderOpenOrders: listed,
      spotPrivatePostV1OrderOrdersOrderIdSubmitcancel: async (params) => cancelled.push(params),
    });
    await htxOrders.cancel(session, key);
    expect(cancelled).toEqual([{ 'order-id': '357632718898331' }]);
  });

  it.each([-1, 5, 6, 7])('are not cancelled if the answer is that they have ended: %d', async (data) => {
    const session = sessionWith({
      spotPrivatePostV1OrderOrdersSubmitCancelClientOrder: async () => ({ data }),
    });
    await expect(htxOrders.cancel(session, key)).rejects.toMatchObject({ code: 'order_not_found' });
  });
});

describe('records of HTX', () => {
  const { ccxt } = sessionWith({});

  it.each([
    ['a market purchase of this product', 'buy-ioc', 'ta1-m', 'MARKET', 'ta1', '0.2'],
    ['an IOC order with another id', 'buy-ioc', 'ta1', 'LIMIT', 'ta1', '0.2'],
    ['a sale with the mark', 'sell-ioc', 'ta1-m', 'LIMIT', 'ta1-m', '0.2'],
    // Its amount is in quote currency.
    ['a market purchase of another program', 'buy-market', 'web', 'MARKET', 'web', '0.1'],
  ])('%s', (_what, type, storedId, expected, venueClientOrderId, amount) => {
    const order = { ...record, type, 'client-order-id': storedId, 'field-amount': '0.1' };
    expect(readHtxOrder(ccxt, order)).toMatchObject({ type: expected, venueClientOrderId, amount });
  });

  const fill = {
    id: 1,
    'trade-id': 2,
    'order-id': 3,
    symbol: 'btcusdt',
    type: 'buy-limit',
    source: 'spot-api',
    price: '60000',
    'filled-amount': '0.1',
    'filled-fees': '0.0002',
    'fee-currency': 'btc',
    'filled-points': '0.0',
    'fee-deduct-currency': '',
    role: 'taker',
    'created-at': 1_629_443_051_839,
  };

  it.each([
    ['in what the order receives', {}, { amount: '0.0002', currency: 'BTC' }],
    [
      'in points',
      { 'filled-fees': '0', 'filled-points': '0.1', 'fee-deduct-currency': 'hbpoint' },
      { amount: '0.1', currency: 'HBPOINT' },
    ],
  ])('a fee %s', (_what, fields, fee) => {
    expect(readHtxFill(ccxt, { ...fill, ...fields }).fill?.fee).toEqual(fee);
  });

  it('of margin accounts are ignored', () => {
    const source = 'super-margin-api';
    expect([readHtxOrder(ccxt, { ...record, source }), readHtxFill(ccxt, { ...fill, source }).fill]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe('lists of fills of HTX', () => {
  it('begin before the present and have no end, so that no fill is missed if the clocks differ', async () => {
    const ranges: Readonly<Record<string, unknown>>[] = [];
    const session = sessionWith({
      spotPrivateGetV1OrderMatchresults: async (params) => {
        ranges.push(params);
        return none();
      },
    });
    await htxFills.since(session, 'BTC/USDT', new Date(Date.now() + 1_000));
    expect(ranges).toEqual([{ symbol: 'btcusdt', size: 500, 'start-time': expect.any(Number) }]);
    expect(ranges[0]?.['start-time']).toBeLessThan(Date.now());
  });
});

describe('the account stream of HTX', () => {
  const order = {
    eventType: 'trade',
    symbol: 'btcusdt',
    orderId: 3,
    orderSource: 'spot-api',
    orderValue: '6000',
    type: 'buy-market',
    orderStatus: 'filled',
    tradeTime: 1_583_854_188_883,
    execAmt: '6000',
  };
  const pushed = (data: object, ch = 'orders#*') => ({ action: 'push', ch, data });
  const readerOf = (session: VenueSession): StreamReader => htxAccountStream.open(session);

  it('reads a market purchase of another program by a call, because it streams its value', async () => {
    const filled = { ...record, id: 3, type: 'buy-market', state: 'filled', 'field-amount': '0.1' };
    const session = sessionWith({ spotPrivateGetV1OrderOrdersOrderId: async () => ({ data: filled }) });
    const [report] = readerOf(session).read(pushed(order)) as [Extract<StreamReport, { kind: 'call' }>];
    expect(await report.read(session)).toMatchObject([{ kind: 'order', order: { filledAmount: '0.1' } }]);
  });

  it.each([
    ['orders of margin accounts', { ...order, orderSource: 'margin-api' }],
    ['conditional orders', { eventType: 'deletion', symbol: 'btcusdt', clientOrderId: 'x' }],
  ])('reports nothing about %s', (_what, data) => {
    expect(readerOf(sessionWith({})).read(pushed(data))).toEqual([]);
  });
});

describe('an order book of HTX', () => {
  const topic = 'market.btcusdt.mbp.150';
  const change = (prevSeqNum: number, seqNum: number, price: number, amount: number) => ({
    ch: topic,
    ts: 1_573_199_608_679,
    tick: { seqNum, prevSeqNum, bids: [], asks: [[price, amount]] },
  });
  const snapshot = { rep: topic, status: 'ok', data: { seqNum: 5, bids: [[9, 1]], asks: [[10, 1]] } };
  const read = (messages: readonly unknown[]) => {
    const reader = htxMarketStream.openBook(sessionWith({}).ccxt, 'BTC/USDT');
    return messages.map((message) => reader.read(message)).at(-1);
  };

  it('begins with the changes that arrived before its snapshot and follow it', () => {
    const messages = [change(3, 5, 10, 3), change(5, 8, 11, 2), change(8, 9, 10, 0), snapshot];
    expect(read(messages)).toMatchObject({
      kind: 'SNAPSHOT',
      last: 9,
      bids: [['9', '1']],
      asks: [['11', '2']],
    });
  });

  it('begins again if a change after its snapshot is missing', () => {
    expect(read([change(6, 8, 11, 2), snapshot])).toEqual({ kind: 'GAP' });
  });
});

describe('candles of HTX', () => {
  it('are not offered further back than the exchange returns them', async () => {
    const client = { exceptions: { exact: {}, broad: {} }, has: {}, nonce: () => 2_000 * 60_000 };
    prepareHtx(client);
    const { fetchOHLCV } = client as unknown as CcxtClient;
    await expect(fetchOHLCV('BTC/USDT', '1m', 0, 1, {})).rejects.toThrow('more than 2000 candles ago');
  });
});

describe('the pause after a rate limit of HTX', () => {
  const pauseOf = (body: object, headers: Readonly<Record<string, string>> = {}, status = 200) =>
    htx.tradingTypes.spot?.rateLimits.pauseOf?.({ status, headers, body: JSON.stringify(body) });
  const refusal = { status: 'error', 'err-code': 'rate-too-many-requests', 'err-msg': '', data: null };
  const exhausted = {
    'x-hb-ratelimit-requests-remain': '0',
    'x-hb-ratelimit-requests-expire': String(Date.now() + 100_000),
  };

  it('begins with a refusal, and lasts until the window ends, or for one window', () => {
    expect(pauseOf(refusal, exhausted)).toBeGreaterThan(90_000);
    expect(pauseOf({}, exhausted, 429)).toBeGreaterThan(90_000);
    expect(pauseOf(refusal)).toBe(2_000);
  });

  it('does not begin with a successful response after which nothing remains', () => {
    expect(pauseOf({ status: 'ok', data: [] }, exhausted)).toBeUndefined();
  });
});
