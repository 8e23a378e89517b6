/** What the product is told when an exchange, or the way to it, fails: never less than the truth about an order. */
import { createVenue, venueConfig } from '../src/ccxt/index.js';
import type { ExchangeClient, ExchangeVenue, OrderRequest } from '../src/index.js';
import {
  answer,
  halfAnAnswer,
  type Reaction,
  refusal,
  reset,
  ScriptedExchange,
  silence,
} from './scripted-exchange.js';
import { failureOf } from './suite.js';

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

/** What would count as an order in good weather, and as balances. */
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

describe('an exchange in bad weather', () => {
  let exchange: ScriptedExchange;
  let venue: ExchangeVenue;
  let client: ExchangeClient;
  beforeEach(async () => {
    exchange = await ScriptedExchange.start();
    ({ venue, client } = connect(1_500));
    await venue.fetchMarkets();
  });
  afterEach(async () => {
    await venue.close();
    await exchange.close();
  });

  function connect(timeoutMs: number, url = exchange.url) {
    const opened = createVenue(
      venueConfig.parse({ id: 'x', name: 'X', adapter: 'binance', tradingTypes: ['spot'], url, timeoutMs }),
    );
    return { venue: opened, client: opened.connect({ apiKey: KEY, apiSecret: SECRET }, 'spot') };
  }

  const bad: readonly [weather: string, reaction: Reaction, code: string, codeOfRead?: string][] = [
    ['takes the request and is silent', silence, 'no_answer'],
    ['takes the request and cuts the line', reset, 'no_answer'],
    ['breaks off in the middle of the answer', halfAnAnswer, 'no_answer'],
    ['answers 500', answer('oops', 500), 'no_answer', 'unreachable'],
    ['answers 502 in HTML', answer('<html>Bad gateway</html>', 502), 'no_answer', 'unreachable'],
    [
      'answers 503 with a refusal',
      refusal(-2010, 'Account has insufficient balance for requested action.', 503),
      'no_answer',
    ],
    ['answers 504', answer('', 504), 'no_answer'],
    ['answers 429', answer({ code: -1003, msg: 'Too many requests.' }, 429), 'rate_limited'],
    ['answers 418', answer({ code: -1003, msg: 'Banned.' }, 418), 'rate_limited'],
    ['answers 403 in HTML', answer('<html>Forbidden</html>', 403), 'no_answer', 'unreachable'],
    ['answers 200 in HTML', answer('<html>Welcome</html>'), 'bad_answer'],
    ['answers 200 with nothing', answer(''), 'bad_answer'],
    ['answers 200 with an empty object', answer({}), 'bad_answer'],
    ['answers 200 with a list', answer([]), 'bad_answer'],
    [
      'answers 200 with half an order',
      answer({ ...accepted, orderId: undefined, balances: undefined }),
      'bad_answer',
    ],
    ['answers 402 with an order', answer(accepted, 402), 'no_answer', 'unreachable'],
    ['answers with a redirect', answer(accepted, 307, { location: 'http://127.0.0.1:9/' }), 'bad_answer'],
    [
      'answers that it does not know what happened',
      refusal(-1007, 'Send status unknown; execution status unknown.', 408),
      'no_answer',
    ],
    [
      'answers with an error of its own that nobody knows',
      refusal(-1006, 'Execution status unknown.'),
      'no_answer',
    ],
  ];

  describe.each(bad)('that %s', (_weather, reaction, code, codeOfRead = code) => {
    beforeEach(() => {
      for (const path of [ORDER, '/api/v3/account']) exchange.on(path, reaction);
    });

    it('leaves the outcome of a write open, and sends it once', async () => {
      const outcomes = [client.placeOrder(order), client.cancelOrder(order)].map(failureOf);
      expect(await Promise.all(outcomes)).toEqual([`unknown/${code}`, `unknown/${code}`]);
      expect(
        exchange
          .seenAt(ORDER)
          .map(({ method }) => method)
          .sort(),
      ).toEqual(['DELETE', 'POST']);
    });

    it('lets a read be asked again, and takes nothing for an answer', async () => {
      const outcomes = [client.findOrder(order), client.fetchBalances()].map(failureOf);
      expect(await Promise.all(outcomes)).toEqual([`retryable/${codeOfRead}`, `retryable/${codeOfRead}`]);
      expect(exchange.seenAt(ORDER)).toHaveLength(1);
    });
  });

  it('follows no redirect', async () => {
    const other = await ScriptedExchange.start();
    exchange.on(ORDER, answer('', 307, { location: `${other.url}${ORDER}` }));
    await failureOf(client.placeOrder(order));
    await failureOf(client.findOrder(order));
    expect(other.seen).toEqual([]);
    await other.close();
  });

  it('is certain that nothing happened where there was no connection', async () => {
    await exchange.close();
    expect(await failureOf(client.placeOrder(order))).toBe('retryable/unreachable');
    expect(await failureOf(client.cancelOrder(order))).toBe('retryable/unreachable');
    expect(await failureOf(client.findOrder(order))).toBe('retryable/unreachable');
  });

  it('is certain that nothing happened where the name leads nowhere', async () => {
    const nowhere = connect(2_000, 'http://exchange.invalid');
    expect(await failureOf(nowhere.client.placeOrder(order))).toBe('retryable/unreachable');
    await nowhere.venue.close();
  });

  it('reads the markets again after it could not at first', async () => {
    exchange.on('/api/v3/exchangeInfo', answer('', 503));
    const late = connect(2_000);
    expect(await failureOf(late.client.findOrder(order))).toBe('retryable/unreachable');
    exchange.on('/api/v3/exchangeInfo', answer({ symbols: [] }));
    expect(await late.venue.fetchMarkets()).toEqual([]);
    await late.venue.close();
  });

  it('sends nothing before the time that a rate limit names', async () => {
    exchange.on(ORDER, answer({ code: -1003, msg: 'Too many requests.' }, 429, { 'retry-after': '60' }));
    expect(await failureOf(client.findOrder(order))).toBe('retryable/rate_limited');
    expect(await failureOf(client.placeOrder(order))).toBe('retryable/rate_limited');
    expect(exchange.seenAt(ORDER)).toHaveLength(1);
  });

  it('never sends an order whose time ended while it waited for its turn behind another account', async () => {
    const hasty = connect(400);
    await hasty.venue.fetchMarkets();
    const other = hasty.venue.connect({ apiKey: 'other', apiSecret: SECRET }, 'spot');
    exchange.on(ORDER, refusal(-2013, 'Order does not exist.'));
    const crowd = Array.from({ length: 40 }, () => other.findOrder(order).catch(() => 'in vain'));
    expect(await failureOf(hasty.client.placeOrder(order))).toBe('retryable/rate_limited');
    await Promise.all(crowd);
    // What is asked from now on stands behind it in the queue: once this comes through, its turn is over.
    while ((await hasty.client.findOrder(order).catch(() => 'in vain')) !== null);
    expect(exchange.seenAt(ORDER).filter(({ method }) => method === 'POST')).toEqual([]);
    await hasty.venue.close();
  });

  it('reads the clock of the exchange again when it is refused for its time', async () => {
    exchange.on(ORDER, refusal(-1021, 'Timestamp for this request was 1000ms ahead of the server time.'));
    expect(await failureOf(client.placeOrder(order))).toBe('retryable/refused');
    const ahead = 3_600_000;
    exchange.on('/api/v3/time', (response, request) =>
      answer({ serverTime: Date.now() + ahead })(response, request),
    );
    expect(await failureOf(client.placeOrder(order))).toBe('retryable/refused');
    const [first, second] = exchange.seenAt(ORDER).map(({ params }) => Number(params.get('timestamp')));
    expect(second! - first!).toBeGreaterThan(ahead - 60_000);
  });

  it('knows revoked credentials after good ones, and takes no rate limit for them', async () => {
    exchange.on('/api/v3/account', answer({ canTrade: true, balances: [], uid: 7 }));
    expect(await client.fetchBalances()).toEqual({});
    exchange.on('/api/v3/account', refusal(-2015, 'Invalid API-key, IP, or permissions for action.', 401));
    expect(await failureOf(client.fetchBalances())).toBe('fatal/credentials_rejected');
  });

  it('takes a secret that can not sign for bad credentials, and sends nothing', async () => {
    const unsound = venue.connect({ apiKey: KEY, apiSecret: '-----BEGIN PRIVATE KEY-----' }, 'spot');
    expect(await failureOf(unsound.testCredentials())).toBe('fatal/credentials_rejected');
    expect(exchange.seenAt('/api/v3/account')).toEqual([]);
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
    [-9999, 'A refusal of next year.', 'rejected/refused'],
  ])('tells %i "%s" as %s', async (code, message, expected) => {
    exchange.on(ORDER, refusal(code, message));
    expect(await failureOf(client.placeOrder(order))).toBe(expected);
  });

  it.each([
    ['a refusal', refusal(-2010, `No, ${KEY}: https://exchange/?signature=abc`)],
    ['a breakdown', answer(`${KEY} https://exchange/?signature=abc`, 500)],
    ['a cut line', reset],
  ])('tells no credential, address or text of the exchange after %s', async (_what, reaction) => {
    exchange.on(ORDER, reaction);
    const error: unknown = await client.placeOrder(order).catch((thrown: unknown) => thrown);
    const { message, stack, cause, ...rest } = error as Error;
    const told = JSON.stringify([message, stack, cause, rest]);
    for (const secret of [KEY, SECRET, 'signature', 'https:', exchange.url])
      expect(told).not.toContain(secret);
  });
});
