import { currentCall, noDeadline, runCall } from '../../ccxt/call.js';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import type { StreamReport, VenueSession } from '../../ccxt/declaration.js';
import { failure, MalformedResponse } from '../../ccxt/failures.js';
import { inspectBingx } from './account.js';
import { bingxOrders } from './calls.js';
import { prepareBingx } from './client.js';
import { bingxFills } from './fills.js';
import { bingxMarketStream } from './market-streams.js';
import { readBingxOrder } from './records.js';
import { bingxAccountStream } from './streams.js';
import { bingx } from './venue.js';

type Params = Readonly<Record<string, unknown>>;
type Endpoints = Readonly<Record<string, (params: Params) => Promise<unknown>>>;

const noOrders = async () => ({ data: { orders: [] } });

/** A session in which the exchange finds no order by its ids. */
function sessionWith(endpoints: Endpoints): VenueSession {
  const ccxt = {
    options: {},
    market: () => ({ id: 'BTC-USDT', base: 'BTC', quote: 'USDT', precision: {} }),
    markets_by_id: { 'BTC-USDT': [{ symbol: 'BTC/USDT' }] },
    safeCurrencyCode: (code: string) => code,
    spotV1PrivateGetTradeOpenOrders: noOrders,
    spotV1PrivateGetTradeHistoryOrders: noOrders,
    ...endpoints,
  } as unknown as CcxtClient;
  const orNull = async <T>(call: () => Promise<T>) => {
    try {
      return await call();
    } catch (error) {
      if (error instanceof MalformedResponse) throw error;
      return null;
    }
  };
  return { ccxt, orNull };
}

const record = {
  symbol: 'BTC-USDT',
  orderId: 1_735_964_079_647,
  clientOrderID: 'ta1',
  price: '60000',
  StopPrice: '0',
  origQty: '0.2',
  executedQty: '0',
  status: 'PENDING',
  type: 'LIMIT',
  side: 'BUY',
  time: 1_702_721_285_567,
  updateTime: 1_702_721_285_567,
};
const listed = async () => ({ data: { orders: [record] } });
const key = { symbol: 'BTC/USDT', venueClientOrderId: 'ta1' };
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const notFound = async () => {
  throw failure(['rejected', 'order_not_found']);
};

describe('when the absence of an order at BingX is proven', () => {
  it.each([
    ['soon after the sending', 1, 'ABSENT'],
    ['before the exchange forgets client order ids', 95, 'ABSENT'],
    ['later', 105, 'NOT_KNOWN'],
    ['without a time', undefined, 'NOT_KNOWN'],
  ])('%s', async (_what, minutes, outcome) => {
    const session = sessionWith({ spotV1PrivateGetTradeQuery: notFound });
    const sentAt = minutes === undefined ? undefined : minutesAgo(minutes);
    expect(await bingxOrders.find(session, { ...key, sentAt })).toEqual({ outcome });
  });

  it('an answer with another order proves nothing', async () => {
    const other = { data: { ...record, clientOrderID: '' } };
    const session = sessionWith({ spotV1PrivateGetTradeQuery: async () => other });
    await expect(bingxOrders.find(session, { ...key, sentAt: minutesAgo(1) })).rejects.toThrow(
      MalformedResponse,
    );
  });
});

describe('orders whose client order id BingX has forgotten', () => {
  it('are found among the open orders, and in the list of ended orders', async () => {
    const forgotten = { spotV1PrivateGetTradeQuery: notFound };
    const ended = { ...record, status: 'FILLED', executedQty: '0.2' };
    const sessions = [
      sessionWith({ ...forgotten, spotV1PrivateGetTradeOpenOrders: listed }),
      sessionWith({
        ...forgotten,
        spotV1PrivateGetTradeHistoryOrders: async () => ({ data: { orders: [ended] } }),
      }),
    ];
    const sentAt = minutesAgo(600);
    const found = await Promise.all(sessions.map((session) => bingxOrders.find(session, { ...key, sentAt })));
    expect(found).toMatchObject([
      { outcome: 'FOUND', order: { status: 'OPEN' } },
      { outcome: 'FOUND', order: { status: 'FILLED', filledAmount: '0.2' } },
    ]);
  });

  it('are cancelled by the id of the exchange', async () => {
    const cancelled: unknown[] = [];
    const session = sessionWith({
      spotV1PrivatePostTradeCancel: async (params) => {
        if ('clientOrderID' in params) return notFound();
        cancelled.push(params);
        return { data: record };
      },
      spotV1PrivateGetTradeOpenOrders: listed,
    });
    await bingxOrders.cancel(session, key);
    expect(cancelled).toEqual([{ symbol: 'BTC-USDT', orderId: '1735964079647' }]);
  });
});

it('BingX lists ended orders page by page', async () => {
  const pages: unknown[] = [];
  const others = Array.from({ length: 100 }, () => ({ ...record, clientOrderID: 'other' }));
  const session = sessionWith({
    spotV1PrivateGetTradeQuery: notFound,
    spotV1PrivateGetTradeHistoryOrders: async ({ pageIndex }) => {
      pages.push(pageIndex);
      return { data: { orders: pageIndex === 1 ? others : [record] } };
    },
  });
  expect(await bingxOrders.find(session, { ...key, sentAt: minutesAgo(1) })).toMatchObject({
    outcome: 'FOUND',
  });
  expect(pages).toEqual([1, 2]);
});

describe('records of BingX', () => {
  const { ccxt } = sessionWith({});
  it.each([
    [
      'a purchase for an amount of quote currency',
      { type: 'MARKET', origQty: '0', executedQty: '0.1' },
      '0.1',
    ],
    ['a market order', { type: 'MARKET', executedQty: '0.1' }, '0.2'],
  ])('%s', (_what, fields, amount) => {
    const order = readBingxOrder(ccxt, { ...record, ...fields });
    expect(order).toMatchObject({ type: 'MARKET', amount, filledAmount: '0.1', price: undefined });
  });

  it.each([
    ['TAKE_STOP_LIMIT', 'STOP_LIMIT', '60000'],
    ['TRIGGER_MARKET', 'STOP_MARKET', undefined],
  ])('a conditional order of another program: %s', (type, expected, price) => {
    expect(readBingxOrder(ccxt, { ...record, type, StopPrice: '61000' })).toMatchObject({
      type: expected,
      stopPrice: '61000',
      price,
    });
  });
});

describe('lists of fills of BingX', () => {
  const fillAt = (id: number, time: number) => ({
    symbol: 'BTC-USDT',
    id,
    orderId: 3,
    price: '60000',
    qty: '0.0001',
    commission: -1.2493e-7,
    commissionAsset: 'BTC',
    time,
    isBuyer: true,
    isMaker: false,
  });
  const second = Math.floor(Date.now() / 1_000) * 1_000 - 60_000;

  it('include a fill whose time is a whole second in which the range begins', async () => {
    const fills = [fillAt(1, second - 1_000), fillAt(2, second), fillAt(3, second + 499)];
    const session = sessionWith({ spotV1PrivateGetTradeMyTrades: async () => ({ data: { fills } }) });
    const since = await bingxFills.since(session, 'BTC/USDT', new Date(second + 500));
    expect(since.map(({ exchangeFillId, fee }) => [exchangeFillId, fee])).toEqual([
      ['2', { amount: '0.00000012493', currency: 'BTC' }],
    ]);
  });

  it('are read page by page from the time of the last fill, each fill once', async () => {
    const all = Array.from({ length: 750 }, (_, i) => fillAt(i, second + Math.floor(i / 2)));
    const session = sessionWith({
      spotV1PrivateGetTradeMyTrades: async ({ startTime, limit }) => {
        const fills = all.filter(({ time }) => time >= Number(startTime)).slice(0, Number(limit));
        return { data: { fills } };
      },
    });
    expect(await bingxFills.since(session, 'BTC/USDT', new Date(second))).toHaveLength(750);
  });

  it('fail if one time has more fills than a page', async () => {
    const fills = Array.from({ length: 500 }, (_, i) => fillAt(i, second));
    const session = sessionWith({ spotV1PrivateGetTradeMyTrades: async () => ({ data: { fills } }) });
    await expect(bingxFills.since(session, 'BTC/USDT', new Date(second))).rejects.toThrow('more fills');
  });
});

describe('refusals of BingX', () => {
  const client = { exceptions: { exact: {} }, handleErrors: () => undefined };
  prepareBingx(client);
  const read = (code: number, msg: string) =>
    (client as unknown as CcxtClient).handleErrors(200, '', '', 'GET', {}, '', { code, msg }, {}, '');

  it.each([
    [100_404, 'Order does not exist. The order may have been filled or cancelled.', 'OrderNotFound'],
    [100_421, ' cancel fail,  order not exist', 'OrderNotFound'],
    [100_421, 'Null timestamp or timestamp mismatch', 'InvalidNonce'],
  ])('%d %s', (code, msg, name) => {
    expect(() => read(code, msg)).toThrow(expect.objectContaining({ name }));
  });

  it.each([
    [100_404, 'The requested API path does not exist'],
    [
      100_500,
      'The current system is busy, and the previous cancel order request result:false,  order not exist',
    ],
  ])('does not read as a missing order: %d %s', (code, msg) => {
    expect(read(code, msg)).toBeUndefined();
  });
});

describe('permissions of a key of BingX', () => {
  const credentials = { apiKey: 'zF1234zQ', apiSecret: 'secret' };
  const inspect = (apiInfos: readonly object[]) => {
    const { ccxt } = sessionWith({
      accountV1PrivateGetUid: async () => ({ data: { uid: 7 } }),
      accountV1PrivateGetApiKeyQuery: async () => ({ data: { apiInfos } }),
    });
    const request = { kind: 'read', account: { credentials, key: 'key' } } as const;
    return runCall(
      request,
      noDeadline(),
      () => inspectBingx(ccxt),
      (error) => error as Error,
    );
  };

  it.each([
    ['to trade', [{ apiKey: 'zF****zQ', permissions: [1, 2, 3, 4, 7] }], true, false],
    ['to withdraw', [{ apiKey: 'zF****zQ', permissions: [1, 2, 5] }], true, true],
    ['that is not documented', [{ apiKey: 'zF****zQ', permissions: [1, 2, 6] }], true, true],
    ['of another key', [{ apiKey: 'aa****zQ', permissions: [1, 2] }], false, true],
  ])('%s', async (_what, apiInfos, canTrade, canWithdraw) => {
    expect(await inspect(apiInfos)).toMatchObject({ canTrade, canWithdraw, venueAccountId: '7' });
  });
});

describe('the account stream of BingX', () => {
  const event = {
    e: 'executionReport',
    E: 1_760_068_118_150,
    s: 'BTC-USDT',
    S: 'BUY',
    o: 'TRIGGER_LIMIT',
    q: 0.2,
    p: 60_000,
    x: 'NEW',
    X: 'NEW',
    i: record.orderId,
    z: 0,
    O: 1_760_068_117_941,
  };
  const reader = (session: VenueSession) => bingxAccountStream.open(session);

  it('reads a conditional order by a call, because its message has no stop price', async () => {
    const order = { ...record, type: 'TRIGGER_LIMIT', StopPrice: '61000' };
    const session = sessionWith({ spotV1PrivateGetTradeQuery: async () => ({ data: order }) });
    const [report] = reader(session).read({ code: 0, dataType: 'spot.executionReport', data: event });
    const reports = await (report as Extract<StreamReport, { kind: 'call' }>).read(session);
    expect(reports).toMatchObject([{ kind: 'order', order: { type: 'STOP_LIMIT', stopPrice: '61000' } }]);
  });

  it('ends with its listen key', () => {
    expect(() => reader(sessionWith({})).read({ e: 'listenKeyExpired', E: 1 })).toThrow('expired');
  });

  it.each([
    ['nothing, with the status 200', 200, '', true],
    ['nothing, with another status', 204, '', false],
    ['HTML', 200, '<html>', false],
  ])('extends its listen key if the exchange answers %s', async (_what, status, body, isExtended) => {
    const extended: unknown[] = [];
    const session = sessionWith({
      accountV1PrivateGetUid: async () => ({ data: { uid: 7 } }),
      userAuthPrivatePostUserDataStream: async () => ({ listenKey: 'abc' }),
      userAuthPrivatePutUserDataStream: async (params) => {
        extended.push(params);
        throw new MalformedResponse('not JSON');
      },
    });
    const request = {
      kind: 'read',
      account: { credentials: { apiKey: 'a', apiSecret: 'b' }, key: 'key' },
    } as const;
    const work = async () => {
      await bingxAccountStream.plan(session);
      currentCall().response = { status, body };
      await bingxAccountStream.keepAlive?.run(session);
    };
    const result = runCall(request, noDeadline(), work, (error) => error as Error);
    if (isExtended) await result;
    else await expect(result).rejects.toThrow('not JSON');
    expect(extended).toEqual([{ listenKey: 'abc' }]);
  });
});

describe('an order book of BingX', () => {
  it('may have its levels as objects, in any order', () => {
    const reader = bingxMarketStream.openBook(sessionWith({}).ccxt, 'BTC/USDT');
    const data = {
      action: 'all',
      lastUpdateId: 5,
      bids: { '9': '1', '9.5': '2' },
      asks: [
        ['11', '1'],
        ['10', '3'],
      ],
    };
    expect(reader.read({ code: 0, dataType: 'BTC-USDT@incrDepth', data })).toMatchObject({
      kind: 'SNAPSHOT',
      last: 5,
      bids: [
        ['9.5', '2'],
        ['9', '1'],
      ],
      asks: [
        ['10', '3'],
        ['11', '1'],
      ],
    });
  });
});

describe('the pause after a rate limit of BingX', () => {
  const pauseOf = (code: number, expire?: string) =>
    bingx.tradingTypes.spot?.rateLimits.pauseOf?.({
      status: 200,
      headers: expire === undefined ? {} : { 'x-ratelimit-requests-expire': expire },
      body: JSON.stringify({ code, msg: '' }),
    });

  it('lasts until the window ends, or for one window', () => {
    expect([pauseOf(0), pauseOf(100_410)]).toEqual([undefined, 10_000]);
    expect(pauseOf(100_410, String(Date.now() + 100_000))).toBeGreaterThan(90_000);
  });
});
