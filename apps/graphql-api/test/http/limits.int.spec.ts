/** Threat T10 over HTTP: documents that are expensive or disclose the schema. */
import { TestEnvironment } from '../../../rest-api/test/proofs/test-environment.js';
import { limitsOf } from '../../../rest-api/test/rate-limits.js';
import { type KeyPair, openAccount } from '../../../rest-api/test/test-rest-api.js';
import { post, sendGraphql, startTestGraphqlApi, type TestGraphqlApi } from '../test-graphql-api.js';

let environment: TestEnvironment;
let api: TestGraphqlApi;
let owner: KeyPair;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  const limits = limitsOf(
    { requests: 1_000_000, seconds: 60 },
    { sensitive_writes: { requests: 10, seconds: 86_400 } },
  );
  api = await startTestGraphqlApi(environment.api.databaseUrl, { RATE_LIMITS: JSON.stringify(limits) });
  owner = await openAccount(environment.api);
});
afterAll(async () => {
  await api?.close();
  await environment?.close();
});

const times = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join(' ');
const doubling = `{ health { ...f0 } } ${times(50, (i) => `fragment f${i} on Health { ...f${i + 1} ...f${i + 1} }`)} fragment f50 on Health { status }`;
const TOO_LARGE: readonly (readonly [string, string])[] = [
  ['too_deep', `{ trades { nodes { ${'sourceTrade { '.repeat(14)} id ${'}'.repeat(14)} } } }`],
  ['too_many_aliases', `{ ${times(16, (i) => `a${i}: health { status }`)} }`],
  ['too_many_directives', `{ health { status ${'@skip(if: false) '.repeat(21)} } }`],
  ['too_long', `{ health { ${'status '.repeat(1_000)} } }`],
  ['too_many_root_fields', `{ ${'health { status } '.repeat(21)} }`],
  ['too_costly', `{ trades(first: 100) { nodes { ${'strategy { id } '.repeat(51)} } } }`],
  ['several_operations', 'query A { health { status } } query B { health { status } }'],
  ['fragment_cycle', '{ health { ...a } } fragment a on Health { ...b } fragment b on Health { ...a }'],
  ['too_long', doubling],
];

it.each(TOO_LARGE)(
  '%s: a document above the limit is rejected with this code, without the limit or names of the schema',
  async (code, query) => {
    for (const { errors, data, text } of [
      await sendGraphql(api, owner, query),
      await post(api, JSON.stringify({ query })),
    ]) {
      expect(data).toBeUndefined();
      expect(errors).toHaveLength(1);
      expect(errors![0]!.extensions).toMatchObject({
        code: 'validation_failed',
        details: [{ field: 'query', code }],
      });
      expect(errors![0]!.message).not.toMatch(/\d|health|trade/i);
      expect(text).not.toContain('locations');
    }
  },
);

it('a batch of any size is rejected', async () => {
  const operation = { query: '{ health { status } }' };
  for (const batch of [[], [operation], [operation, operation]]) {
    const { status, errors } = await post(api, JSON.stringify(batch));
    expect([status, errors![0]!.extensions.details![0]!.message]).toEqual([
      422,
      'Batches are not supported. Send only one operation per request.',
    ]);
  }
});

it('the largest page with three related records per item is allowed', async () => {
  const edges = 'tradePair { id } exchangeAccount { id } strategy { id }';
  const { errors, data } = await sendGraphql(api, owner, `{ trades(first: 100) { nodes { id ${edges} } } }`);
  expect([errors, data]).toEqual([undefined, { trades: { nodes: [] } }]);
});

it('a page over the maximum is rejected by the contract', async () => {
  const { errors } = await sendGraphql(api, owner, '{ trades(first: 2147483647) { nodes { id } } }');
  expect(errors![0]!.extensions).toMatchObject({ code: 'invalid_query', details: [{ field: 'first' }] });
});

describe('the schema', () => {
  const INTROSPECTION = [
    '{ __schema { types { name } } }',
    '{ __type(name: "Trade") { name } }',
    '{ health { status } __schema { queryType { name } } }',
    '{ ...f } fragment f on Query { ... { x: __type(name: "Trade") { name } } }',
  ];

  it.each(INTROSPECTION)('is returned only with credentials: %s', async (query) => {
    const anonymous = await post(api, JSON.stringify({ query }));
    expect([anonymous.status, anonymous.errors![0]!.extensions.code]).toEqual([
      401,
      'authentication_required',
    ]);
    const authenticated = await sendGraphql(api, owner, query);
    expect([authenticated.status, authenticated.errors]).toEqual([200, undefined]);
  });

  it('can be introspected only as deeply as tools need', async () => {
    const ofType = (depth: number): string => (depth === 0 ? 'name' : `name ofType { ${ofType(depth - 1)} }`);
    const deepTypes = await sendGraphql(
      api,
      owner,
      `{ __schema { types { fields { name type { ${ofType(16)} } } } } }`,
    );
    expect(deepTypes.errors).toBeUndefined();
    const circle = (depth: number): string =>
      depth === 0 ? 'name' : `fields { type { ${circle(depth - 1)} } }`;
    const circularTypes = await sendGraphql(api, owner, `{ __schema { types { ${circle(6)} } } }`);
    expect(circularTypes.errors![0]!.extensions.code).toBe('validation_failed');
  });

  it('is never disclosed by suggestions', async () => {
    for (const query of [
      '{ health { statu } }',
      '{ trade(idd: 1) { id } }',
      '{ x: healt { status } }',
      '{ ... on Quer { a } }',
    ])
      for (const { text } of [
        await sendGraphql(api, owner, query),
        await post(api, JSON.stringify({ query })),
      ])
        expect(text).not.toMatch(/did you mean/i);
  });

  it('is not disclosed without credentials by the errors of a document', async () => {
    const responses = await Promise.all(
      [
        '{ health { secret } }',
        '{ health { status } } fragment f on Trade { id }',
        '{ health { status } } fragment f on Nothing { id }',
        '{ health { ... on Trade { id } } }',
        'query ($x: TradeCreateInput) { health { status } }',
        'query ($x: Nothing) { health { status } }',
        'mutation { verifyEmail(no: 1) { no } }',
      ].map((query) => post(api, JSON.stringify({ query }))),
    );
    const comparable = responses.map(({ status, errors }) => [
      status,
      errors!.map(({ extensions: { request_id: _, ...extensions }, ...error }) => ({ ...error, extensions })),
    ]);
    for (const response of comparable) expect(response).toEqual(comparable[0]);
    expect(JSON.stringify(comparable[0])).not.toMatch(/Health|Trade|secret/);
  });

  it('does not distinguish forbidden from missing fields without credentials', async () => {
    for (const query of [
      '{ trades { nodes { id } } }',
      '{ nothing }',
      '{ trades { nothing } }',
      'mutation { nothing }',
    ]) {
      const { status, errors } = await post(api, JSON.stringify({ query }));
      expect([status, errors!.map(({ extensions: { code } }) => code)]).toEqual([
        401,
        ['authentication_required'],
      ]);
    }
  });
});

it('the creation of 15 API keys in one document counts 15 times toward their bucket', async () => {
  const make = (i: number) => `k${i}: createApiKey(input: {name: "k${i}", permissions: [READ]}) { id }`;
  const { data, errors } = await sendGraphql(api, owner, `mutation { ${times(15, make)} }`);
  expect(Object.values(data).filter((key) => key !== null)).toHaveLength(10);
  expect(errors!.map(({ extensions: { code } }) => code)).toEqual(Array(5).fill('rate_limited'));
  expect(errors![0]!.extensions.retry_after).toBeGreaterThan(1);
  const again = await sendGraphql(api, owner, `mutation { ${make(1)} }`);
  expect(again.errors![0]!.extensions.code).toBe('rate_limited');
});
