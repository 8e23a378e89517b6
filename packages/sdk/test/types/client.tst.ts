/** Tests the types of calls on the build, as users of the package get them. */
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
const stringClient = new Client({ baseURL: 'http://127.0.0.1:4000', decimals: 'string' });
const order = {
  exchange_account_id: 'exa_1',
  trade_pair_id: 'tpr_1',
  type: 'MARKET',
  side: 'BUY',
  amount: '0.01',
} as const;

describe('decimals', () => {
  test('are numbers by default and strings on request, in records, nested records and lists', () => {
    expect(client).type.toBe<Client<'number'>>();
    expect(stringClient).type.toBe<Client<'string'>>();
    expect<Trade['amount']>().type.toBe<number>();
    expect<Trade<'string'>['amount']>().type.toBe<string>();
    expect<Trade<'string'>['fee']['amount']>().type.toBe<string>();
    expect<Trade<'string'>['price']>().type.toBe<string | undefined>();
    expect(client.trades.get('trd_1')).type.toBe<ApiPromise<TradeDetail<'number'>>>();
    expect(stringClient.trades.get('trd_1')).type.toBe<ApiPromise<TradeDetail<'string'>>>();
    expect(stringClient.trades.list()).type.toBe<PagePromise<Trade<'string'>>>();
  });

  test('of requests are strings or numbers for every client', () => {
    expect(client.trades.create).type.toBeCallableWith({ ...order, amount: '0.01' });
    expect(client.trades.create).type.toBeCallableWith({ ...order, amount: 0.01 });
    expect(stringClient.trades.create).type.toBeCallableWith({ ...order, amount: 0.01 });
    expect(stringClient.trades.create).type.not.toBeCallableWith({ ...order, amount: 10n });
  });
});

describe('lists', () => {
  test('yield items when iterated, a page when awaited, and an array with toArray', async () => {
    for await (const trade of client.trades.list()) expect(trade).type.toBe<Trade<'number'>>();
    const page = await client.trades.list();
    expect(page).type.toBe<Page<Trade<'number'>>>();
    expect(page.data).type.toBe<readonly Trade<'number'>[]>();
    expect(page.pagination.next_cursor).type.toBe<string | null>();
    expect(await page.getNextPage()).type.toBe<Page<Trade<'number'>>>();
    expect(await client.trades.list().toArray({ limit: 5 })).type.toBe<Trade<'number'>[]>();
    for await (const next of page.iterPages()) expect(next).type.toBe<Page<Trade<'number'>>>();
  });

  test('accept only their own filters and sort fields', () => {
    expect(client.trades.list).type.toBeCallableWith({ status: 'FILLED', limit: 10, sort: 'updated_at' });
    expect(client.trades.list).type.not.toBeCallableWith({ status: 'DONE' });
    expect(client.trades.list).type.not.toBeCallableWith({ sort: 'amount' });
    expect(client.trades.list).type.not.toBeCallableWith({ colour: 'red' });
    expect(client.strategies.list).type.not.toBeCallableWith({ side: 'BUY' });
  });

  test('require a limit for toArray', () => {
    expect(client.trades.list().toArray).type.not.toBeCallableWith();
  });
});

describe('operations', () => {
  test('reject a body without a required field or with an unknown one', () => {
    const { amount: _amount, ...withoutAmount } = order;
    expect(client.trades.create).type.toBeCallableWith(order);
    expect(client.trades.create).type.not.toBeCallableWith(withoutAmount);
    expect(client.trades.create).type.not.toBeCallableWith({ ...order, side: 'LONG' });
    expect(client.trades.create).type.not.toBeCallableWith({ ...order, sise: 'BUY' });
    expect(client.trades.get).type.not.toBeCallableWith();
    expect(client.trades.get).type.not.toBeCallableWith(7);
    expect(client.trades).type.not.toHaveProperty('update');
  });

  test('accept the options of a call', () => {
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

  test('return the response together with the data', async () => {
    const result = await client.trades.get('trd_1').withResponse();
    expect(result).type.toBe<WithResponse<TradeDetail<'number'>>>();
    expect(result.response).type.toBe<Response>();
    expect(result.requestId).type.toBe<string | undefined>();
    expect(client.trades.get('trd_1').asResponse()).type.toBe<Promise<Response>>();
  });

  test('without an SDK method return the type of the type argument; by default, unknown', async () => {
    expect(await client.get('/v1/new')).type.toBe<unknown>();
    expect(await client.post<{ id: string }>('/v1/new', {})).type.toBe<{ id: string }>();
  });
});

describe('a client', () => {
  test('accepts a signer of the package, or one that the caller implements', () => {
    expect(createSigner('00'.repeat(32))).type.toBe<Signer>();
    const customSigner = { publicKey: '02', sign: async (_message: Uint8Array) => new Uint8Array(64) };
    expect(Client).type.toBeConstructableWith({ signer: customSigner });
    expect(Client).type.not.toBeConstructableWith({ signer: { ...customSigner, sign: () => 'text' } });
  });

  test('rejects unknown options', () => {
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
