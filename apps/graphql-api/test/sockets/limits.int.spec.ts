/**
 * Tests threat T10 over WebSocket: the limits of a document are the same as over HTTP, and a rejected document has no
 * effect on the socket.
 */
import { TestEnvironment } from '../../../rest-api/test/proofs/test-environment.js';
import { limitsOf } from '../../../rest-api/test/rate-limits.js';
import { type KeyPair, openAccount } from '../../../rest-api/test/test-rest-api.js';
import { sendGraphql, startTestGraphqlApi, type TestGraphqlApi } from '../test-graphql-api.js';
import { type BookUpdate, PublishedBook } from './published-book.js';
import {
  clientOf,
  executeOverSocket,
  RawClient,
  TestSubscription,
  withoutRequestIds,
} from './socket-clients.js';

let environment: TestEnvironment;
let api: TestGraphqlApi;
let owner: KeyPair;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  api = await startTestGraphqlApi(environment.api.databaseUrl);
  owner = await openAccount(environment.api);
});
afterAll(async () => {
  await api?.close();
  await environment?.close();
});

const times = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join(' ');
const ids = (count: number) => times(count, () => 'id');
const FIFTY = `fragment fifty on Me { ${ids(49)} }`;

/** The error code of a limit, a function that writes a document of a size, and the largest accepted size. */
const LIMITS: readonly (readonly [string, (size: number) => string, number])[] = [
  [
    'too_deep',
    (size) => `{ trades { nodes { ${'sourceTrade { '.repeat(size - 3)} id ${'}'.repeat(size - 3)} } } }`,
    15,
  ],
  ['too_many_aliases', (size) => `{ ${times(size, (i) => `a${i}: me { id }`)} }`, 15],
  ['too_many_directives', (size) => `{ me { ${times(size, () => '... @include(if: true) { id }')} } }`, 20],
  ['too_many_root_fields', (size) => `{ ${times(size, () => 'me { id }')} }`, 20],
  [
    'too_costly',
    (size) => `{ trades(first: 100) { nodes { ${times(size, () => 'strategy { id }')} } } }`,
    48,
  ],
  [
    'too_costly',
    (size) => `query ($n: Int) { trades(first: $n) { nodes { ${times(size, () => 'strategy { id }')} } } }`,
    48,
  ],
  // Each inline fragment has four tokens, each further `id` has one, and the rest of the document has five.
  [
    'too_long',
    (size) => `{ me { ${times((size - 5) >> 2, () => '... { id }')} ${ids((size - 5) & 3)} } }`,
    1_000,
  ],
  // With its fragments expanded: `me` and each `id` count 1, each spread counts 50 (itself and 49 fields).
  ['too_long', (size) => `{ me { ${times(99, () => '...fifty')} ${ids(size - 4_951)} } } ${FIFTY}`, 5_000],
  ['several_operations', (size) => times(size, (i) => `query Q${i} { me { id } }`), 1],
  [
    'fragment_cycle',
    (size) =>
      `{ me { ...a } } fragment a on Me { id ...b } fragment b on Me { id ${size > 0 ? '...a' : ''} }`,
    0,
  ],
];
const TOO_LARGE: readonly (readonly [string, string])[] = [
  ...LIMITS.map(([code, make, limit]) => [code, make(limit + 1)] as const),
  // graphql-js, not this product, defines when fields are repeated too often.
  ['too_repetitive', `{ me { ${ids(990)} } }`],
];

const errorsWith = (code: string) => [
  { extensions: { code: 'validation_failed', details: [{ field: 'query', code }] } },
];

it.each(LIMITS)(
  '%s: a document of maximum size returns the same as over HTTP: %#',
  async (_code, make, limit) => {
    const client = clientOf(api, owner);
    const { data, errors } = await executeOverSocket(client, make(limit));
    await client.dispose();
    expect(errors).toBeUndefined();
    expect(data).toEqual((await sendGraphql(api, owner, make(limit))).data);
  },
);

it.each(TOO_LARGE)('%s: a larger document is rejected as over HTTP: %#', async (code, query) => {
  const client = clientOf(api, owner);
  const { data, errors } = await executeOverSocket(client, query);
  await client.dispose();
  expect(data).toBeUndefined();
  expect(errors).toMatchObject(errorsWith(code));
  // The message contains neither a number nor a name of the schema.
  expect(errors![0]!.message).not.toMatch(/\d|Trade|Strategy|User/);
  expect(withoutRequestIds(errors)).toEqual(withoutRequestIds((await sendGraphql(api, owner, query)).errors));
});

it('a socket on which many documents were rejected executes the next operation and keeps its subscriptions', async () => {
  const book = await PublishedBook.open(environment);
  const raw = await RawClient.join(api, owner);
  try {
    await book.reset([['1', '1']]);
    raw.subscribe('book', `subscription { orderbookUpdate(tradePairId: "${book.pairId}") { bids } }`);
    await raw.until(() => raw.payloadsOf('book').length > 0);
    for (const [i, [, query]] of TOO_LARGE.entries()) raw.subscribe(`large ${i}`, query);
    raw.subscribe('next', '{ me { id } }');
    await raw.until(() => raw.messages.some(({ id, type }) => id === 'next' && type === 'complete'));
    await raw.until(() => TOO_LARGE.every((_, i) => raw.payloadsOf(`large ${i}`).length > 0));
    for (const [i, [code]] of TOO_LARGE.entries()) {
      const responses = raw.messages.filter(({ id }) => id === `large ${i}`);
      expect(responses).toMatchObject([{ type: 'error', payload: errorsWith(code) }]);
    }
    expect(raw.payloadsOf('next')[0].data.me.id).toMatch(/^usr_/);
    // The id of a rejected operation can be used again.
    raw.subscribe('large 0', '{ me { id } }');
    await raw.until(() => raw.payloadsOf('large 0').length > 1);
    expect(raw.payloadsOf('large 0')[1]).toEqual(raw.payloadsOf('next')[0]);
    await book.change([['2', '1']]);
    const has = ({ bids }: Pick<BookUpdate, 'bids'>) => bids.some(([price]) => price === '2');
    await raw.until(() => raw.payloadsOf('book').some(({ data }) => has(data.orderbookUpdate)));
    const bookMessages = raw.messages.filter(({ id }) => id === 'book');
    expect(new Set(bookMessages.map(({ type }) => type))).toEqual(new Set(['next']));
  } finally {
    raw.cut();
    book.close();
  }
});

describe('a document that is too large', () => {
  it('executes none of its mutations', async () => {
    const make = (name: string) => `createApiKey(input: { name: "${name}" }) { id }`;
    const client = clientOf(api, owner);
    for (const [code, query] of [
      ['too_many_aliases', `mutation { ${times(50, (i) => `k${i}: ${make('large')}`)} }`],
      ['too_long', `mutation { ${times(100, (i) => `k${i}: ${make('large')}`)} }`],
      ['too_many_root_fields', `mutation { ${times(21, () => make('large'))} }`],
      ['several_operations', `mutation A { ${make('large')} } mutation B { ${make('large')} }`],
    ] as const)
      expect((await executeOverSocket(client, query)).errors).toMatchObject(errorsWith(code));
    expect((await executeOverSocket(client, `mutation { ${make('small')} }`)).errors).toBeUndefined();
    await client.dispose();
    const created = await environment.rows("SELECT name FROM api_keys WHERE name IN ('large', 'small')");
    expect(created).toEqual([{ name: 'small' }]);
  });

  it.each([
    ['too_many_aliases', (field: string) => times(16, (i) => `a${i}: ${field} { id }`)],
    [
      'too_many_directives',
      (field: string) => `${field} { ${times(21, () => '... @skip(if: false) { id }')} }`,
    ],
    ['too_long', (field: string) => `${field} { ${ids(1_000)} }`],
    ['too_many_root_fields', (field: string) => times(21, () => `${field} { id }`)],
    ['too_deep', (field: string) => `${field} { ${'a { '.repeat(15)} b ${'}'.repeat(15)} }`],
    [
      'too_costly',
      (field: string) => `${field} { ${'a(first: 100) { nodes { '.repeat(2)} b { c } ${'} }'.repeat(2)} }`,
    ],
  ])('cannot be subscribed to: %s', async (code, selection) => {
    const client = clientOf(api, owner);
    const query = `subscription { ${selection('tradeSignal(strategyId: "str_x")')} }`;
    const subscription = new TestSubscription(client, 'tradeSignal', query);
    expect(await subscription.outcome()).toMatchObject(errorsWith(code));
    expect(subscription.results).toEqual([]);
    await client.dispose();
  });

  it('that introspects the schema is rejected if its fields nest in circles', async () => {
    const circle = (depth: number): string =>
      depth === 0 ? 'name' : `fields { type { ${circle(depth - 1)} } }`;
    const query = `{ __schema { types { ${circle(6)} } } }`;
    const client = clientOf(api, owner);
    const { errors } = await executeOverSocket(client, query);
    expect(errors![0]!.extensions.code).toBe('validation_failed');
    expect(withoutRequestIds(errors)).toEqual(
      withoutRequestIds((await sendGraphql(api, owner, query)).errors),
    );
    await client.dispose();
  });
});

describe('a batch', () => {
  const subscribe = (id: string, payload: unknown) => ({ id, type: 'subscribe', payload });
  const creation = { query: 'mutation { createApiKey(input: { name: "batched" }) { id } }' };

  it.each([
    ['of messages', [subscribe('1', creation), subscribe('2', creation)]],
    ['of payloads', subscribe('1', [creation, creation])],
    ['of documents', subscribe('1', { query: [creation.query, creation.query] })],
  ])('%s is not a message: it closes the socket without any effect', async (_of, message) => {
    const raw = await RawClient.join(api, owner);
    raw.sendMessage(message);
    expect(await raw.closed).toMatchObject({ code: 4400 });
    const client = clientOf(api, owner);
    await executeOverSocket(client, creation.query.replace('batched', 'after the batch'));
    await client.dispose();
    expect(await environment.rows("SELECT FROM api_keys WHERE name = 'batched'")).toEqual([]);
  });
});

describe('the rate limits', () => {
  it('are charged for rejected operations, too', async () => {
    // The handshake takes one token.
    const general = { requests: 1 + TOO_LARGE.length, seconds: 86_400 };
    const limitedAccount = await openAccount(environment.api);
    const strict = await startTestGraphqlApi(environment.api.databaseUrl, {
      RATE_LIMITS: JSON.stringify(limitsOf(general)),
    });
    const client = clientOf(strict, limitedAccount);
    try {
      for (const [code, query] of TOO_LARGE)
        expect((await executeOverSocket(client, query)).errors).toMatchObject(errorsWith(code));
      const { errors } = await executeOverSocket(client, '{ me { id } }');
      expect(errors).toMatchObject([{ extensions: { code: 'rate_limited' } }]);
    } finally {
      await client.dispose();
      await strict.close();
    }
  });

  it('count each of the 15 mutations of one document', async () => {
    const sensitive_writes = { requests: 10, seconds: 86_400 };
    const limits = limitsOf({ requests: 1_000_000, seconds: 60 }, { sensitive_writes });
    const limitedAccount = await openAccount(environment.api);
    const strict = await startTestGraphqlApi(environment.api.databaseUrl, {
      RATE_LIMITS: JSON.stringify(limits),
    });
    const client = clientOf(strict, limitedAccount);
    try {
      const make = (i: number) => `k${i}: createApiKey(input: { name: "k${i}" }) { id }`;
      const { data, errors } = await executeOverSocket(client, `mutation { ${times(15, make)} }`);
      expect(Object.values(data).filter((key) => key !== null)).toHaveLength(10);
      expect(errors!.map(({ extensions }) => extensions.code)).toEqual(Array(5).fill('rate_limited'));
      const overHttp = await sendGraphql(strict, limitedAccount, `mutation { ${make(1)} }`);
      expect(overHttp.errors).toMatchObject([{ extensions: { code: 'rate_limited' } }]);
      expect((await executeOverSocket(client, '{ me { id } }')).errors).toBeUndefined();
    } finally {
      await client.dispose();
      await strict.close();
    }
  });
});
