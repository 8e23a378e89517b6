/** Tests failures of an exchange or the network: an error states only what is certain about an order. */
import { createVenue, type VenueOptions, venueConfig } from '../src/ccxt/index.js';
import type { ExchangeClient, ExchangeVenue, OrderRequest } from '../src/index.js';
import { failureOf, foundOrder } from './conformance-fixture.js';
import {
  type Reaction,
  reset,
  respondWith,
  respondWithError,
  ScriptedExchangeServer,
  silence,
  truncatedResponse,
} from './scripted-exchange.js';

const ORDER = '/api/v3/order';
const SECRET = 'the-secret-of-the-account';
const KEY = 'the-key-of-the-account';

const order: OrderRequest = {
  symbol: 'BTC/USDT',
  venueClientOrderId: 'ta1',
  type: 'LIMIT',
  side: 'BUY',
  timeInForce: 'GTC',
  amount: '0.5',
  price: '60000',
  reduceOnly: false,
};

/** A valid response, both as an order and as balances. */
const accepted = {
  symbol: 'BTCUSDT',
  orderId: 28,
  clientOrderId: order.venueClientOrderId,
  price: '60000',
  origQty: '0.5',
  executedQty: '0',
  status: 'NEW',
  type: 'LIMIT',
  side: 'BUY',
  canTrade: true,
  balances: [],
};

describe('the client of an exchange in bad weather', () => {
  let exchange: ScriptedExchangeServer;
  let venue: ExchangeVenue;
  let client: ExchangeClient;
  beforeEach(async () => {
    exchange = await ScriptedExchangeServer.start();
    ({ venue, client } = connect(1_500));
    await venue.fetchMarkets();
  });
  afterEach(async () => {
    await venue.close();
    await exchange.close();
  });

  function connect(timeoutMs: number, url = exchange.url, options: VenueOptions = {}) {
    const opened = createVenue(
      venueConfig.parse({ id: 'x', name: 'X', adapter: 'binance', tradingTypes: ['spot'], url, timeoutMs }),
      options,
    );
    return { venue: opened, client: opened.connect({ apiKey: KEY, apiSecret: SECRET }, 'spot') };
  }

  it('sends nothing after the time limit if its process stalled', async () => {
    const sleepBuffer = new Int32Array(new SharedArrayBuffer(4));
    const budget = {
      // Blocks the process between budget and request, so that no timer can fire.
      take: async ({ isOrder }: { readonly isOrder: boolean }) => {
        if (isOrder) Atomics.wait(sleepBuffer, 0, 0, 350);
      },
      pause: () => undefined,
    };
    const late = connect(300, exchange.url, { budget });
    await late.venue.fetchMarkets();
    exchange.on(ORDER, respondWith(accepted));
    expect(await failureOf(late.client.placeOrder(order))).toBe('retryable/rate_limited');
    expect(exchange.requestsTo(ORDER)).toEqual([]);
    await late.venue.close();
  });

  const badWeather: readonly [weather: string, reaction: Reaction, code: string, codeOfRead?: string][] = [
    ['accepts the request and does not respond', silence, 'no_answer'],
    ['accepts the request and disconnects', reset, 'no_answer'],
    ['disconnects in the middle of the response', truncatedResponse, 'no_answer'],
    ['responds with 500', respondWith('oops', 500), 'no_answer', 'unreachable'],
    ['responds with 502 and HTML', respondWith('<html>Bad gateway</html>', 502), 'no_answer', 'unreachable'],
    [
      'responds with 503 and a rejection',
      respondWithError(-2010, 'Account has insufficient balance for requested action.', 503),
      'no_answer',
    ],
    ['responds with 504', respondWith('', 504), 'no_answer'],
    ['responds with 429', respondWith({ code: -1003, msg: 'Too many requests.' }, 429), 'rate_limited'],
    ['responds with 418', respondWith({ code: -1003, msg: 'Banned.' }, 418), 'rate_limited'],
    ['responds with 403 and HTML', respondWith('<html>Forbidden</html>', 403), 'no_answer', 'unreachable'],
    ['responds with 200 and HTML', respondWith('<html>Welcome</html>'), 'bad_answer'],
    ['responds with 200 and an empty body', respondWith(''), 'bad_answer'],
    ['responds with 200 and an empty object', respondWith({}), 'bad_answer'],
    ['responds with 200 and a list', respondWith([]), 'bad_answer'],
    [
      'responds with 200 and an incomplete order',
      respondWith({ ...accepted, orderId: undefined, balances: undefined }),
      'bad_answer',
    ],
    ['responds with 402 and an order', respondWith(accepted, 402), 'no_answer', 'unreachable'],
    [
      'responds with a redirect',
      respondWith(accepted, 307, { location: 'http://127.0.0.1:9/' }),
      'bad_answer',
    ],
    [
      'reports an unknown execution status',
      respondWithError(-1007, 'Send status unknown; execution status unknown.', 408),
      'no_answer',
    ],
    [
      'responds with an unknown error code',
      respondWithError(-1006, 'Execution status unknown.'),
      'no_answer',
    ],
  ];

  describe.each(badWeather)('that %s', (_weather, reaction, code, codeOfRead = code) => {
    beforeEach(() => {
      for (const path of [ORDER, '/api/v3/account']) exchange.on(path, reaction);
    });

    it('reports the outcome of a write as unknown, and sends it once', async () => {
      const outcomes = [client.placeOrder(order), client.cancelOrder(order)].map(failureOf);
      expect(await Promise.all(outcomes)).toEqual([`unknown/${code}`, `unknown/${code}`]);
      expect(
        exchange
          .requestsTo(ORDER)
          .map(({ method }) => method)
          .sort(),
      ).toEqual(['DELETE', 'POST']);
    });

    it('reports a failed read as retryable, and sends it once', async () => {
      const outcomes = [client.findOrder(order), client.fetchBalances()].map(failureOf);
      expect(await Promise.all(outcomes)).toEqual([`retryable/${codeOfRead}`, `retryable/${codeOfRead}`]);
      expect(exchange.requestsTo(ORDER)).toHaveLength(1);
    });
  });

  it('follows no redirect', async () => {
    const other = await ScriptedExchangeServer.start();
    exchange.on(ORDER, respondWith('', 307, { location: `${other.url}${ORDER}` }));
    await failureOf(client.placeOrder(order));
    await failureOf(client.findOrder(order));
    expect(other.requests).toEqual([]);
    await other.close();
  });

  it('reports a write without a connection as retryable, because nothing was sent', async () => {
    await exchange.close();
    // A kept-alive connection may accept the first bytes before its end is detected.
    await failureOf(client.findOrder(order));
    expect(await failureOf(client.placeOrder(order))).toBe('retryable/unreachable');
    expect(await failureOf(client.cancelOrder(order))).toBe('retryable/unreachable');
    expect(await failureOf(client.findOrder(order))).toBe('retryable/unreachable');
  });

  it('reports a write as retryable if the host name does not resolve', async () => {
    const unresolvable = connect(2_000, 'http://exchange.invalid');
    expect(await failureOf(unresolvable.client.placeOrder(order))).toBe('retryable/unreachable');
    await unresolvable.venue.close();
  });

  it('loads the markets again after the first attempt failed', async () => {
    exchange.on('/api/v3/exchangeInfo', respondWith('', 503));
    const late = connect(2_000);
    expect(await failureOf(late.client.findOrder(order))).toBe('retryable/unreachable');
    exchange.on('/api/v3/exchangeInfo', respondWith({ symbols: [] }));
    expect(await late.venue.fetchMarkets()).toEqual([]);
    await late.venue.close();
  });

  it('sends nothing before the retry time of a rate limit', async () => {
    exchange.on(ORDER, respondWith({ code: -1003, msg: 'Too many requests.' }, 429, { 'retry-after': '60' }));
    expect(await failureOf(client.findOrder(order))).toBe('retryable/rate_limited');
    expect(await failureOf(client.placeOrder(order))).toBe('retryable/rate_limited');
    expect(exchange.requestsTo(ORDER)).toHaveLength(1);
  });

  it('[EX-RATE-02] never sends an order whose time limit passed while it waited for the budget', async () => {
    let admit: () => void = () => undefined;
    const admitted = new Promise<void>((resolve) => {
      admit = resolve;
    });
    const hasty = connect(400, exchange.url, {
      budget: { take: ({ isOrder }) => (isOrder ? admitted : Promise.resolve()), pause: () => undefined },
    });
    await hasty.venue.fetchMarkets();
    exchange.on(ORDER, respondWithError(-2013, 'Order does not exist.'));
    expect(await failureOf(hasty.client.placeOrder(order))).toBe('retryable/rate_limited');
    admit();
    expect(await hasty.client.findOrder(order)).toEqual({ outcome: 'ABSENT' });
    expect(exchange.requestsTo(ORDER).filter(({ method }) => method === 'POST')).toEqual([]);
    await hasty.venue.close();
  });

  it('[EX-RATE-03] blocks no other account after a rate limit on the orders of one account', async () => {
    exchange.on(
      ORDER,
      respondWith({ code: -1015, msg: 'Too many new orders.' }, 429, { 'retry-after': '60' }),
    );
    expect(await failureOf(client.placeOrder(order))).toBe('unknown/rate_limited');
    expect(await failureOf(client.placeOrder(order))).toBe('retryable/rate_limited');
    exchange.on(ORDER, respondWith(accepted));
    const other = venue.connect({ apiKey: 'other', apiSecret: SECRET }, 'spot');
    expect(await other.placeOrder(order)).toMatchObject({ status: 'OPEN' });
    // The account can still read and cancel its orders.
    expect(await foundOrder(client, order)).toMatchObject({ status: 'OPEN' });
    expect(await failureOf(client.placeOrder(order))).toBe('retryable/rate_limited');
  });

  it("[EX-RATE-04] takes each request's weight from the budget, and passes on each requested pause", async () => {
    const budgetCalls: string[] = [];
    const { venue: budgeted } = connect(1_500, exchange.url, {
      budget: {
        take: async ({ venue: id, accountKey, weight, isOrder, isExit }) =>
          void budgetCalls.push([id, accountKey, weight, isOrder, isExit].join(' ')),
        pause: (id, forMs) => void budgetCalls.push(`pause ${id} ${forMs}`),
      },
    });
    const account = budgeted.connect({ apiKey: KEY, apiSecret: SECRET }, 'spot', { accountKey: 'exa_1' });
    await budgeted.fetchMarkets();
    budgetCalls.splice(0);
    exchange.on(ORDER, respondWith(accepted));
    await account.placeOrder(order);
    await account.placeOrder({ ...order, side: 'SELL', isExit: true });
    await account.findOrder(order);
    await account.cancelOrder(order);
    exchange.on('/api/v3/openOrders', respondWith([]));
    await account.fetchOpenOrders('BTC/USDT');
    await account.fetchOpenOrders();
    exchange.on('/api/v3/myTrades', respondWith([]));
    await account.fetchFillsSince({ symbol: 'BTC/USDT', since: new Date(0) });
    await account.fetchFills({ symbol: 'BTC/USDT', exchangeOrderId: '1' });
    exchange.on('/api/v3/account', respondWith(accepted, 418, { 'retry-after': '3' }));
    await failureOf(account.fetchBalances());
    expect(budgetCalls).toEqual([
      'x exa_1 1 true ',
      'x exa_1 1 true true',
      'x exa_1 4 false ',
      'x exa_1 1 false true',
      'x exa_1 6 false ',
      'x exa_1 80 false ',
      'x exa_1 20 false ',
      'x exa_1 5 false ',
      'x exa_1 20 false ',
      'pause x 3000',
    ]);
    await budgeted.close();
  });

  it('[EX-RATE-05] sends nothing if the budget fails or rejects the call', async () => {
    for (const error of [new Error('no Redis'), new TypeError('x')]) {
      const { venue: budgeted, client: account } = connect(1_500, exchange.url, {
        budget: {
          take: ({ isOrder }) => (isOrder ? Promise.reject(error) : Promise.resolve()),
          pause: () => {},
        },
      });
      expect(await failureOf(account.placeOrder(order))).toBe('retryable/rate_limited');
      await budgeted.close();
    }
    expect(exchange.requestsTo(ORDER)).toEqual([]);
  });

  it('reads the clock of the exchange again after a rejected timestamp', async () => {
    exchange.on(
      ORDER,
      respondWithError(-1021, 'Timestamp for this request was 1000ms ahead of the server time.'),
    );
    expect(await failureOf(client.placeOrder(order))).toBe('retryable/refused');
    const aheadMs = 3_600_000;
    exchange.on('/api/v3/time', (response, request) =>
      respondWith({ serverTime: Date.now() + aheadMs })(response, request),
    );
    expect(await failureOf(client.placeOrder(order))).toBe('retryable/refused');
    const [first, second] = exchange.requestsTo(ORDER).map(({ params }) => Number(params.get('timestamp')));
    expect(second! - first!).toBeGreaterThan(aheadMs - 60_000);
  });

  it('reports credentials that were revoked after a successful call as rejected, not as a rate limit', async () => {
    exchange.on('/api/v3/account', respondWith({ canTrade: true, balances: [], uid: 7 }));
    expect((await client.fetchBalances()).balances).toEqual({});
    exchange.on(
      '/api/v3/account',
      respondWithError(-2015, 'Invalid API-key, IP, or permissions for action.', 401),
    );
    expect(await failureOf(client.fetchBalances())).toBe('fatal/credentials_rejected');
  });

  it('reports a secret that cannot sign as rejected credentials, and sends nothing', async () => {
    const unusable = venue.connect({ apiKey: KEY, apiSecret: '-----BEGIN PRIVATE KEY-----' }, 'spot');
    expect(await failureOf(unusable.testCredentials())).toBe('fatal/credentials_rejected');
    expect(exchange.requestsTo('/api/v3/account')).toEqual([]);
  });

  it.each([
    [-1013, 'Filter failure: NOTIONAL', 'rejected/rule_violated'],
    [-1111, 'Precision is over the maximum defined for this asset.', 'rejected/rule_violated'],
    [-2010, 'Account has insufficient balance for requested action.', 'rejected/insufficient_balance'],
    [-2010, 'Duplicate order sent.', 'rejected/duplicate_client_order_id'],
    [-2010, 'Order would immediately match and take.', 'rejected/would_not_fit_book'],
    [-2010, 'Stop price would trigger immediately.', 'rejected/would_not_fit_book'],
    [-2010, 'Market is closed.', 'rejected/refused'],
    [-1002, 'You are not authorized to execute this request.', 'fatal/credentials_rejected'],
    [-1022, 'Signature for this request is not valid.', 'fatal/credentials_rejected'],
    [-2014, 'API-key format invalid.', 'fatal/credentials_rejected'],
    [-1121, 'Invalid symbol.', 'rejected/not_supported'],
    [-9999, 'A future error.', 'rejected/refused'],
  ])('classifies %i "%s" as %s', async (code, message, expected) => {
    exchange.on(ORDER, respondWithError(code, message));
    expect(await failureOf(client.placeOrder(order))).toBe(expected);
  });

  it.each([
    ['PERCENT_PRICE_BY_SIDE', 'price is too far from the market price'],
    ['NOTIONAL', 'worth less than the minimum'],
    ['MAX_NUM_ORDERS', 'too many open orders'],
    ['MAX_NUM_ALGO_ORDERS', 'too many open orders'],
    ['MAX_POSITION', 'more of this asset than the exchange allows'],
    ['ICEBERG_PARTS', 'Its error code is -1013.'],
  ])('names the rule of %s', async (filter, words) => {
    exchange.on(ORDER, respondWithError(-1013, `Filter failure: ${filter}`));
    await expect(client.placeOrder(order)).rejects.toThrow(words);
  });

  it.each([
    ['a rejection', respondWithError(-2010, `No, ${KEY}: https://exchange/?signature=abc`)],
    ['an internal error', respondWith(`${KEY} https://exchange/?signature=abc`, 500)],
    ['a dropped connection', reset],
  ])('exposes no credential, URL or text of the exchange after %s', async (_what, reaction) => {
    exchange.on(ORDER, reaction);
    const error: unknown = await client.placeOrder(order).catch((thrown: unknown) => thrown);
    const { message, stack, cause, ...rest } = error as Error;
    const serialized = JSON.stringify([message, stack, cause, rest]);
    for (const secret of [KEY, SECRET, 'signature', 'https:', exchange.url])
      expect(serialized).not.toContain(secret);
  });
});
