/** Tests that GraphQL returns the same error codes and details as REST, but with the names of GraphQL arguments. */
import { randomUUID } from 'node:crypto';
import { type ErrorCode, encodeId, OPERATIONS, type Operation } from '@trading-automation/contracts';
import {
  goodRequest,
  type IdLocation,
  idLocations,
  isOwned,
  malformedIds,
  unknownId,
} from '../../rest-api/test/proofs/contract.js';
import type { GoodRequest } from '../../rest-api/test/proofs/requests.js';
import { TestUser } from '../../rest-api/test/proofs/test-user.js';
import { ApiPair, type ErrorResult, graphqlOutcome, restOutcome } from './api-pair.js';
import { camelCase, errorFieldOf, SHARED_OPERATIONS } from './operation-requests.js';
import { type GraphqlRequest, sendGraphql } from './test-graphql-api.js';

let apis: ApiPair;
let owner: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  apis = await ApiPair.open();
  stranger = await TestUser.create(apis.environment);
});
beforeEach(async () => {
  owner = await TestUser.create(apis.environment);
});
afterAll(() => apis?.close());

type Part = IdLocation['part'];
const operationOf = (id: string) => OPERATIONS.find((operation) => operation.id === id)!;

/** Returns a message with the GraphQL names of the fields that it contains. */
const withGraphqlNames = (message: unknown) =>
  String(message)
    .replace(/\b[a-z]+(?:_[a-z0-9]+)+\b/g, camelCase)
    .replace(/^limit\b/, 'first')
    .replace(/^cursor\b/, 'after');

/** Converts a REST error to the expected GraphQL error. */
function toGraphqlError(operation: Operation, { code, details }: ErrorResult): ErrorResult {
  const part: Part = code === 'invalid_query' ? 'query' : 'body';
  return {
    code,
    details: details?.map(({ field, message, ...rest }) => ({
      ...rest,
      ...(field === undefined ? {} : { field: fieldOf(operation, part, field as string) }),
      message: withGraphqlNames(message),
    })),
  };
}

/**
 * Returns the GraphQL name of the field of an error. If a filter contains the id of an unknown record, the code is
 * not_found instead of invalid_query, but the field is in the query.
 */
function fieldOf(operation: Operation, part: Part, field: string): string {
  const isQueryFilter = operation.method === 'GET' || field in (operation.query?.shape ?? {});
  return errorFieldOf(operation, isQueryFilter ? 'query' : part, field);
}

/** Sends the request to both APIs, expects equal errors and returns their code. */
async function expectSameError(operation: Operation, request: GoodRequest): Promise<string> {
  const rest = restOutcome(await apis.callRest(owner, operation, request)).error;
  const graphql = graphqlOutcome(operation, await apis.callGraphql(owner, operation, request)).error;
  if (rest === undefined || graphql === undefined)
    throw new Error(`${operation.id}: REST ${rest?.code}, GraphQL ${graphql?.code}`);
  const details = graphql.details?.map(({ message, ...members }) => ({
    ...members,
    message: withGraphqlNames(message),
  }));
  expect({ ...graphql, details }).toEqual(toGraphqlError(operation, rest));
  return rest.code;
}

const withIds = SHARED_OPERATIONS.filter((operation) => idLocations(operation).length > 0);
it.each(withIds.map((operation) => [operation.id, operation] as const))(
  '%s returns not_found for an unknown, malformed or foreign id at every position',
  async (_id, operation) => {
    const request = await goodRequest(operation, owner);
    const foreign = await goodRequest(operation, stranger);
    for (const place of idLocations(operation)) {
      const theirs = isOwned(place.prefix)
        ? [place.read(foreign) ?? (await stranger.idOf(place.prefix))]
        : [];
      for (const id of [unknownId(place.prefix), ...malformedIds(place.prefix), ...theirs])
        expect(await expectSameError(operation, place.put(request, id))).toBe('not_found');
    }
  },
);

type Change = Readonly<Record<string, unknown>>;
const LONG = 'n'.repeat(1_001);

/** Changes that make the body of a request invalid. */
const BODIES: readonly (readonly [operation: string, code: ErrorCode, ...changes: Change[]])[] = [
  [
    'trades.create',
    'validation_failed',
    { type: 'MARKET' },
    { price: undefined },
    { stop_price: '1' },
    { amount: '0' },
    { amount: -1 },
    { amount: 'many' },
    { amount: '0.0000000000000000001' },
    { amount: `1${'0'.repeat(20)}` },
    { client_order_id: 'with a space' },
    { client_order_id: 'n'.repeat(37) },
    { amount: '0', price: '-1' },
  ],
  ['trades.create', 'exchange_rule_violated', { amount: '0.000001' }, { price: '0.001' }],
  ['trades.create', 'insufficient_balance', { amount: '10000' }],
  ['exchanges.create', 'validation_failed', { exchange: 'nowhere' }, { account_name: '' }],
  [
    'exchanges.create',
    'validation_failed',
    { account_name: LONG },
    { credentials: { api_key: '', api_secret: 's' } },
  ],
  ['strategies.create', 'validation_failed', { name: '' }, { name: LONG }],
  [
    'copiers.create',
    'validation_failed',
    { name: LONG },
    { sizing: { mode: 'FIXED_QUOTE', value: '-1' } },
    { sizing: { mode: 'MULTIPLIER', value: '0' } },
    { limits: { max_slippage_bps: 1_000_000 } },
    { limits: { max_trade_quote: 'much' } },
    {
      quote_aliases: [
        ['USDT', 'USDC'],
        ['USDC', 'USD'],
      ],
    },
    { symbol_map: { 'BTC/USDT': 'BTC/USDT:USDT' } },
    { symbol_map: { BTCUSDT: 'BTC/USDT' } },
    { overrides: { 'NO/PAIR': { limits: { max_trade_quote: '1' } } } },
    { overrides: { 'BTC/USDT': { limits: { max_trade_quote: '-1' } } } },
  ],
  ['copiers.update', 'validation_failed', { limits: { max_trade_quote: '-5' } }, { name: '' }],
  [
    'webhooks.create',
    'validation_failed',
    { url: 'ftp://receiver.example' },
    { url: 'nonsense' },
    { events: [] },
    { events: ['trade.*', 'no.such'] },
  ],
  [
    'apiKeys.create',
    'validation_failed',
    { permissions: [] },
    { name: '' },
    { ip_allowlist: ['nonsense'] },
    { expires_at: '2020-01-01T00:00:00.000Z' },
    { expires_at: 'tomorrow' },
  ],
  ['withdrawals.create', 'validation_failed', { amount: '0' }, { wallet_address: 'nonsense' }],
  ['withdrawals.create', 'insufficient_balance', { amount: '1000000' }],
  ['me.update', 'validation_failed', { email: 'nonsense' }],
];
const bodies = BODIES.flatMap(([id, code, ...changes]) =>
  changes.map((change) => [id, JSON.stringify(change).slice(0, 80), code, change] as const),
);

it.each(bodies)('%s rejects %s in both APIs: %s', async (id, _text, code, change) => {
  const request = await goodRequest(operationOf(id), owner);
  const body = { ...(request.body as object), ...change };
  expect(await expectSameError(operationOf(id), { ...request, body })).toBe(code);
});

const lists = SHARED_OPERATIONS.filter(({ list }) => list !== undefined);
it.each(lists.map((operation) => [operation.id, operation] as const))(
  '%s rejects an invalid page size, cursor and sort field',
  async (_id, operation) => {
    const request = await goodRequest(operation, owner);
    const wrong: Record<string, string>[] = [
      { limit: '0' },
      { limit: '101' },
      { limit: '-1' },
      { cursor: 'abc' },
      { sort: 'password' },
    ];
    for (const query of [...wrong, { limit: '0', cursor: 'abc', sort: 'password' }])
      expect(await expectSameError(operation, { ...request, query: { ...request.query, ...query } })).toBe(
        'invalid_query',
      );
  },
);

const QUERIES: readonly (readonly [operation: string, query: GoodRequest['query'] & object])[] = [
  ['trades.analytics', { from: 'yesterday' }],
  ['trades.analytics', { from: '2026-02-01T00:00:00.000Z', to: '2026-01-01T00:00:00.000Z' }],
  ['webhooks.deliveries', { from: 'yesterday', limit: '0' }],
  ['webhooks.deliveries', { event_type: 'no.such' }],
  ['events.list', { type: 'no.such' }],
  ['auth.cliChallenge', { pubkey: 'xyz' }],
];
it.each(QUERIES)('%s rejects the query %j in both APIs', async (id, query) => {
  const request = await goodRequest(operationOf(id), owner);
  expect(await expectSameError(operationOf(id), { ...request, query })).toBe('invalid_query');
});

/** Requests that the state of the user's records rejects. */
const STATES: readonly (readonly [string, operation: string, ErrorCode, () => Promise<GoodRequest>])[] = [
  [
    'a trade that is CANCELLED',
    'trades.cancel',
    'invalid_state',
    async () => {
      const id = await owner.trade();
      await owner.requireData('POST', `/v1/trades/${id}/cancel`);
      return { params: { id } };
    },
  ],
  [
    'a reward that is CLAIMED',
    'rewards.claim',
    'invalid_state',
    async () => {
      const id = await owner.reward();
      await owner.requireData('POST', `/v1/rewards/${id}/claim`);
      return { params: { id } };
    },
  ],
  [
    'a dead letter that is DISCARDED',
    'deadLetters.retry',
    'invalid_state',
    async () => {
      const { webhookId, deadLetterId } = await owner.deadLetters(1);
      await owner.requireData('DELETE', `/v1/webhooks/${webhookId}/dead-letters/${deadLetterId}`);
      return { params: { id: webhookId, dlq_id: deadLetterId } };
    },
  ],
  [
    'a withdrawal that is CANCELLED',
    'withdrawals.cancel',
    'invalid_state',
    async () => {
      const id = await owner.withdrawal();
      await owner.requireData('POST', `/v1/withdrawals/${id}/cancel`);
      return { params: { id } };
    },
  ],
  [
    'a copier without a strategy',
    'copiers.start',
    'invalid_state',
    async () => ({ params: { id: await owner.copier() } }),
  ],
  [
    'a copier that is ACTIVE',
    'copiers.delete',
    'invalid_state',
    async () => {
      const id = await owner.linkedCopier();
      await owner.requireData('POST', `/v1/copiers/${id}/start`);
      return { params: { id } };
    },
  ],
  [
    'a client order id that its account has already used',
    'trades.create',
    'already_exists',
    async () => {
      const body = { ...apis.environment.tradeBody(await owner.account()), client_order_id: 'mine' };
      await owner.requireData('POST', '/v1/trades', body);
      return { body };
    },
  ],
  [
    'a 51st API key',
    'apiKeys.create',
    'limit_reached',
    async () => {
      // A test user is created with four API keys.
      for (let i = 4; i < 50; i++) await owner.apiKey();
      return { body: { name: 'one too many' } };
    },
  ],
  [
    'a code that no mail contains',
    'auth.verifyEmail',
    'not_found',
    async () => ({ query: { code: randomUUID() } }),
  ],
  [
    'a setting that does not exist',
    'settings.get',
    'not_found',
    async () => ({ params: { key: encodeId('evt', randomUUID()) } }),
  ],
];
it.each(STATES)('%s: %s is rejected in both APIs with %s', async (_what, id, code, createRequest) => {
  expect(await expectSameError(operationOf(id), await createRequest())).toBe(code);
});

it('errors of the schema types are validation_failed, without suggestions and values', async () => {
  const accountId = await owner.account();
  const order = {
    exchangeAccountId: accountId,
    tradePairId: apis.environment.pairId,
    type: 'LIMIT',
    amount: '1',
  };
  const CREATE = 'mutation Create($input: TradeCreateInput!) { createTrade(input: $input) { id } }';
  const invalidRequests: GraphqlRequest[] = [
    { query: CREATE, variables: { input: { ...order, side: 'SEL' } } },
    { query: CREATE, variables: { input: order } },
    { query: CREATE, variables: { input: { ...order, side: 'SELL', amuont: '1' } } },
    {
      query: 'query List($order: SortOrder) { trades(order: $order) { nodes { id } } }',
      variables: { order: 'up' },
    },
    { query: '{ trades(first: "5") { nodes { id } } }' },
    { query: '{ trades { nodes { idd } } }' },
  ];
  for (const request of invalidRequests) {
    const { data, errors, text } = await sendGraphql(apis.graphql, owner.keyPair, request);
    expect({ request, data, code: errors?.[0]?.extensions.code }).toEqual({
      request,
      data: undefined,
      code: 'validation_failed',
    });
    expect(text).not.toContain('Did you mean');
    expect(text).not.toContain(accountId);
  }
});
