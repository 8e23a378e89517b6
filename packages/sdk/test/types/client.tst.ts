/** Types of calls, as those who install the package get them: of the build, not of the source. */
import {
  type ApiPromise,
  Client,
  type ClientOptions,
  type Page,
  type PagePromise,
  type RequestOptions,
  type Signer,
  type Trade,
  type TradeDetail,
  type WithResponse,
} from '@trading-automation/sdk';
import { createSigner } from '@trading-automation/sdk/signer';
import { describe, expect, test } from 'tstyche';

const client = new Client({ baseURL: 'http://127.0.0.1:4000', apiKey: 'svc_test_1' });
const exact = new Client({ baseURL: 'http://127.0.0.1:4000', decimals: 'string' });
const order = {
  exchange_account_id: 'exa_1',
  trade_pair_id: 'tpr_1',
  type: 'MARKET',
  side: 'BUY',
  amount: '0.01',
} as const;

describe('decimals', () => {
  test('are numbers unless the client asks for texts, in records, in what they hold and in lists', () => {
    expect(client).type.toBe<Client<'number'>>();
    expect(exact).type.toBe<Client<'string'>>();
    expect<Trade['amount']>().type.toBe<number>();
    expect<Trade<'string'>['amount']>().type.toBe<string>();
    expect<Trade<'string'>['fee']['amount']>().type.toBe<string>();
    expect<Trade<'string'>['price']>().type.toBe<string | undefined>();
    expect(client.trades.get('trd_1')).type.toBe<ApiPromise<TradeDetail<'number'>>>();
    expect(exact.trades.get('trd_1')).type.toBe<ApiPromise<TradeDetail<'string'>>>();
    expect(exact.trades.list()).type.toBe<PagePromise<Trade<'string'>>>();
  });

  test('of requests are texts or numbers, whatever the client reads', () => {
    expect(client.trades.create).type.toBeCallableWith({ ...order, amount: '0.01' });
    expect(client.trades.create).type.toBeCallableWith({ ...order, amount: 0.01 });
    expect(exact.trades.create).type.toBeCallableWith({ ...order, amount: 0.01 });
    expect(exact.trades.create).type.not.toBeCallableWith({ ...order, amount: 10n });
  });
});

describe('lists', () => {
  test('give their items one by one, a page when awaited, and an array when asked', async () => {
    for await (const trade of client.trades.list()) expect(trade).type.toBe<Trade<'number'>>();
    const page = await client.trades.list();
    expect(page).type.toBe<Page<Trade<'number'>>>();
    expect(page.data).type.toBe<readonly Trade<'number'>[]>();
    expect(page.pagination.next_cursor).type.toBe<string | null>();
    expect(await page.getNextPage()).type.toBe<Page<Trade<'number'>>>();
    expect(await client.trades.list().toArray({ limit: 5 })).type.toBe<Trade<'number'>[]>();
    for await (const next of page.iterPages()) expect(next).type.toBe<Page<Trade<'number'>>>();
  });

  test('take the filters and the orders of their own, and no others', () => {
    expect(client.trades.list).type.toBeCallableWith({ status: 'FILLED', limit: 10, sort: 'updated_at' });
    expect(client.trades.list).type.not.toBeCallableWith({ status: 'DONE' });
    expect(client.trades.list).type.not.toBeCallableWith({ sort: 'amount' });
    expect(client.trades.list).type.not.toBeCallableWith({ colour: 'red' });
    expect(client.strategies.list).type.not.toBeCallableWith({ side: 'BUY' });
  });

  test('count their items to an array only up to a limit', () => {
    expect(client.trades.list().toArray).type.not.toBeCallableWith();
  });
});

describe('operations', () => {
  test('take what they need, and refuse what they do not know', () => {
    const { amount: _amount, ...withoutAmount } = order;
    expect(client.trades.create).type.toBeCallableWith(order);
    expect(client.trades.create).type.not.toBeCallableWith(withoutAmount);
    expect(client.trades.create).type.not.toBeCallableWith({ ...order, side: 'LONG' });
    expect(client.trades.create).type.not.toBeCallableWith({ ...order, sise: 'BUY' });
    expect(client.trades.get).type.not.toBeCallableWith();
    expect(client.trades.get).type.not.toBeCallableWith(7);
    expect(client.trades).type.not.toHaveProperty('update');
  });

  test('take the options of one call', () => {
    const { signal } = new AbortController();
    const options: RequestOptions = {
      signal,
      timeout: 5000,
      maxRetries: 0,
      idempotencyKey: 'once',
      headers: {},
    };
    expect(client.trades.create).type.toBeCallableWith(order, options);
    expect(client.trades.list).type.toBeCallableWith({}, { timeout: 5000 });
    expect(client.trades.get).type.not.toBeCallableWith('trd_1', { retries: 3 });
  });

  test('give the answer beside its data', async () => {
    const answered = await client.trades.get('trd_1').withResponse();
    expect(answered).type.toBe<WithResponse<TradeDetail<'number'>>>();
    expect(answered.response).type.toBe<Response>();
    expect(answered.requestId).type.toBe<string | undefined>();
    expect(client.trades.get('trd_1').asResponse()).type.toBe<Promise<Response>>();
  });

  test('that the SDK does not know yet are of the type that the caller says, and unknown else', async () => {
    expect(await client.get('/v1/new')).type.toBe<unknown>();
    expect(await client.post<{ id: string }>('/v1/new', {})).type.toBe<{ id: string }>();
  });
});

describe('a client', () => {
  test('takes a signer of the package, or one of the caller', () => {
    expect(createSigner('00'.repeat(32))).type.toBe<Signer>();
    const own = { publicKey: '02', sign: async (_message: Uint8Array) => new Uint8Array(64) };
    expect(Client).type.toBeConstructableWith({ signer: own });
    expect(Client).type.not.toBeConstructableWith({ signer: { ...own, sign: () => 'text' } });
  });

  test('takes no option that it does not know', () => {
    expect(Client).type.toBeConstructableWith({
      baseURL: 'http://127.0.0.1:4000',
      timeout: 1000,
      maxRetries: 0,
    });
    expect(Client).type.not.toBeConstructableWith({ baseUrl: 'http://127.0.0.1:4000' });
    expect(Client).type.not.toBeConstructableWith({ decimals: 'bigint' });
    expect<ClientOptions['decimals']>().type.toBe<'number' | undefined>();
  });
});
