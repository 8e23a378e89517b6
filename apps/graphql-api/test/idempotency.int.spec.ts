/** Tests an Idempotency-Key on a mutation: each root field runs once, and its response is replayed. */

import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { eventually } from '@trading-automation/runtime/testing';
import type { Client, SubscribePayload } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { TestUser } from '../../rest-api/test/proofs/test-user.js';
import { ApiPair } from './api-pair.js';
import { clientOf } from './sockets/socket-clients.js';
import {
  type GraphqlError,
  type GraphqlRequest,
  type GraphqlResponse,
  sendGraphql,
} from './test-graphql-api.js';

let apis: ApiPair;
let owner: TestUser;
beforeAll(async () => {
  apis = await ApiPair.open();
});
beforeEach(async () => {
  owner = await TestUser.create(apis.environment);
});
afterAll(() => apis?.close());

const mutate = (
  key: string,
  query: string,
  variables: object = {},
  person = owner,
): Promise<GraphqlResponse> =>
  sendGraphql(apis.graphql, person.keyPair, { query, variables }, { 'idempotency-key': key });
const CREATE_KEY = 'mutation Make($name: String!) { createApiKey(input: { name: $name }) { id name key } }';
const codesOf = ({ errors }: Pick<SocketResult, 'errors'>) =>
  errors?.map(({ extensions }) => extensions.code);
const isReplayed = ({ headers }: { headers: IncomingHttpHeaders }) => headers['idempotency-replayed'];

/** Returns the number of the user's API keys with this name. */
async function keysNamed(name: string, person = owner): Promise<number> {
  const [row] = await apis.environment.rows(
    'SELECT count(*)::int AS count FROM api_keys WHERE user_id = $1 AND name = $2',
    person.uuid,
    name,
  );
  return row!.count as number;
}

it('a mutation with an Idempotency-Key runs once, and its response is replayed and marked', async () => {
  const first = await mutate('once', CREATE_KEY, { name: 'once' });
  expect([first.errors, isReplayed(first)]).toEqual([undefined, undefined]);
  const again = await mutate('once', CREATE_KEY, { name: 'once' });
  expect(again.text).toBe(first.text);
  expect([again.status, isReplayed(again)]).toEqual([200, 'true']);
  expect(await keysNamed('once')).toBe(1);
});

it('a mutation without an Idempotency-Key runs each time', async () => {
  for (let i = 0; i < 2; i++)
    await sendGraphql(apis.graphql, owner.keyPair, { query: CREATE_KEY, variables: { name: 'bare' } });
  expect(await keysNamed('bare')).toBe(2);
});

it('only one of twenty concurrent requests runs; the others get an error or its response', async () => {
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => mutate('at once', CREATE_KEY, { name: 'at once' })),
  );
  expect(await keysNamed('at once')).toBe(1);
  const good = responses.filter(({ errors }) => errors === undefined);
  expect(good.length).toBeGreaterThan(0);
  expect(new Set(good.map(({ text }) => text)).size).toBe(1);
  expect(good.filter((response) => isReplayed(response) === undefined)).toHaveLength(1);
  for (const response of responses)
    if (response.errors !== undefined) expect(codesOf(response)).toEqual(['idempotency_in_progress']);
});

it('the key applies separately to each alias of a document', async () => {
  const document = `mutation {
    a: createApiKey(input: { name: "alias" }) { id }
    b: createApiKey(input: { name: "alias" }) { id }
  }`;
  const first = await mutate('aliases', document);
  expect(first.errors).toBeUndefined();
  expect(first.data.a.id).not.toBe(first.data.b.id);
  const again = await mutate('aliases', document);
  expect(again.data).toEqual(first.data);
  expect(isReplayed(again)).toBe('true');
  expect(await keysNamed('alias')).toBe(2);
});

it('the related records of a stored response are read again', async () => {
  const accountId = await owner.account();
  const input = { name: 'kept', exchangeAccountId: accountId, sizing: { mode: 'FIXED_QUOTE', value: '100' } };
  const document = `mutation Make($input: CopierCreateInput!) {
    createCopier(input: $input) { id name createdAt sizing { mode value } exchangeAccount { accountName } } }`;
  const first = await mutate('edges', document, { input });
  expect(first.errors).toBeUndefined();
  await owner.requireData('PATCH', `/v1/exchanges/${accountId}`, { account_name: 'renamed' });
  await owner.requireData('PATCH', `/v1/copiers/${first.data.createCopier.id}`, { name: 'renamed' });
  const again = await mutate('edges', document, { input });
  expect(again.data.createCopier).toEqual({
    ...first.data.createCopier,
    exchangeAccount: { accountName: 'renamed' },
  });
  expect(isReplayed(again)).toBe('true');
});

it('a key that was used with another document or other variables is rejected', async () => {
  await mutate('reused', CREATE_KEY, { name: 'first' });
  const otherDocument = CREATE_KEY.replace('id name key', 'id');
  for (const [document, name] of [
    [CREATE_KEY, 'second'],
    [otherDocument, 'first'],
  ] as const) {
    const response = await mutate('reused', document, { name });
    expect(codesOf(response)).toEqual(['idempotency_key_reused']);
    expect(response.errors![0]!.path).toEqual(['createApiKey']);
    expect(response.data).toEqual({ createApiKey: null });
    expect(isReplayed(response)).toBeUndefined();
  }
  expect(await keysNamed('first')).toBe(1);
  expect(await keysNamed('second')).toBe(0);
});

it('a key returns the stored response for the same operation in another format, or by the hash of its document', async () => {
  const sha256Hash = createHash('sha256').update(CREATE_KEY).digest('hex');
  const extensions = { persistedQuery: { version: 1, sha256Hash } };
  const variables = { name: 'spelled' };
  const spellings: GraphqlRequest[] = [
    { query: CREATE_KEY, variables, extensions },
    { variables, operationName: 'Make', query: CREATE_KEY },
    { extensions, variables },
  ];
  const responses: GraphqlResponse[] = [];
  for (const request of spellings)
    responses.push(await sendGraphql(apis.graphql, owner.keyPair, request, { 'idempotency-key': 'spelled' }));
  expect(responses.map(isReplayed)).toEqual([undefined, 'true', 'true']);
  expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
  expect(await keysNamed('spelled')).toBe(1);
});

it('errors of the input and of the state are stored with their details', async () => {
  const trade = await owner.trade();
  await owner.requireData('POST', `/v1/trades/${trade}/cancel`);
  const tooLong = { query: CREATE_KEY, variables: { name: 'n'.repeat(1_001) } };
  const cancel = { query: `mutation { cancelTrade(id: "${trade}") { id } }`, variables: {} };
  for (const [key, { query, variables }, code] of [
    ['long', tooLong, 'validation_failed'],
    ['cancelled', cancel, 'invalid_state'],
  ] as const) {
    const first = await mutate(key, query, variables);
    expect(codesOf(first)).toEqual([code]);
    expect(first.errors![0]!.extensions.details).not.toHaveLength(0);
    expect(isReplayed(first)).toBeUndefined();
    const again = await mutate(key, query, variables);
    const { request_id: requestId, ...extensions } = again.errors![0]!.extensions;
    expect(first.errors![0]).toMatchObject({ message: again.errors![0]!.message, extensions });
    expect(isReplayed(again)).toBe('true');
    expect(requestId).toBe(again.headers['x-request-id']);
    expect(requestId).not.toBe(first.errors![0]!.extensions.request_id);
  }
});

it('a key is separate for each user', async () => {
  const other = await TestUser.create(apis.environment);
  for (const person of [owner, other]) {
    const response = await mutate('shared', CREATE_KEY, { name: 'shared' }, person);
    expect([response.errors, isReplayed(response)]).toEqual([undefined, undefined]);
    expect(await keysNamed('shared', person)).toBe(1);
  }
});

it('a key in GraphQL is separate from the same key in REST', async () => {
  await mutate('both', CREATE_KEY, { name: 'both' });
  const rest = await owner.call('POST', '/v1/api-keys', {
    body: { name: 'both' },
    headers: { 'idempotency-key': 'both' },
  });
  expect(rest.json.success).toBe(true);
  expect(await keysNamed('both')).toBe(2);
});

describe('a mutation over a socket', () => {
  let client: Client;
  beforeEach(() => {
    client = clientOf(apis.graphql, owner.keyPair);
  });
  afterEach(() => client.dispose());

  const REPLAYED = { idempotencyReplayed: true };
  const mutateOn = (key: unknown, query: string, variables: Record<string, unknown> = {}) =>
    executeOverSocket(client, { query, variables, extensions: { idempotencyKey: key } });

  it.each([
    ['once by its key', { idempotencyKey: 'lost' }, 1, REPLAYED],
    ['twice without a key', {}, 2, undefined],
  ])('that is retried after a lost response runs %s', async (_what, sent, count, expectedExtensions) => {
    await client.dispose();
    client = clientOf(apis.graphql, owner.keyPair, { retryAttempts: 5, retryWait: async () => undefined });
    const socket = await new Promise<WebSocket>((resolve) =>
      client.on('connected', (opened) => resolve(opened as WebSocket)),
    );
    socket.onmessage = () => undefined;
    const response = executeOverSocket(client, {
      query: CREATE_KEY,
      variables: { name: 'lost' },
      extensions: sent,
    });
    await eventually(async () => (await keysNamed('lost')) === 1);
    socket.terminate();
    const { data, errors, extensions } = await response;
    expect([errors, extensions]).toEqual([undefined, expectedExtensions]);
    expect(data.createApiKey.name).toBe('lost');
    expect(await keysNamed('lost')).toBe(count);
  });

  it('shares its stored response with the same operation over HTTP', async () => {
    const variables = { name: 'both ways' };
    const first = await mutateOn('socket first', CREATE_KEY, variables);
    expect([first.errors, first.extensions]).toEqual([undefined, undefined]);
    const overHttp = await mutate('socket first', CREATE_KEY, variables);
    expect([overHttp.data, isReplayed(overHttp)]).toEqual([first.data, 'true']);
    const { data } = await mutate('HTTP first', CREATE_KEY, variables);
    expect(await mutateOn('HTTP first', CREATE_KEY, variables)).toEqual({ data, extensions: REPLAYED });
    expect(await keysNamed('both ways')).toBe(2);
  });

  it('runs once for twenty concurrent requests, ten of them over HTTP', async () => {
    const variables = { name: 'at once' };
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? mutate : mutateOn)('at once', CREATE_KEY, variables)),
    );
    expect(await keysNamed('at once')).toBe(1);
    const good = responses.filter(({ errors }) => errors === undefined);
    expect(new Set(good.map(({ data }) => data.createApiKey.id)).size).toBe(1);
    for (const response of responses)
      if (response.errors !== undefined) expect(codesOf(response)).toEqual(['idempotency_in_progress']);
  });

  it('is rejected if its key was used with another document or other variables', async () => {
    await mutateOn('reused', CREATE_KEY, { name: 'first' });
    for (const [document, name] of [
      [CREATE_KEY, 'second'],
      [CREATE_KEY.replace('id name key', 'id'), 'first'],
    ] as const) {
      const response = await mutateOn('reused', document, { name });
      expect(codesOf(response)).toEqual(['idempotency_key_reused']);
      expect(response.errors![0]!.path).toEqual(['createApiKey']);
      expect([response.data, response.extensions]).toEqual([{ createApiKey: null }, undefined]);
    }
    expect([await keysNamed('first'), await keysNamed('second')]).toEqual([1, 0]);
  });

  it('replays a stored error and marks it', async () => {
    const variables = { name: 'n'.repeat(1_001) };
    const first = await mutateOn('long', CREATE_KEY, variables);
    expect([codesOf(first), first.extensions]).toEqual([['validation_failed'], undefined]);
    const again = await mutateOn('long', CREATE_KEY, variables);
    const { request_id: _, ...extensions } = again.errors![0]!.extensions;
    expect(first.errors![0]).toMatchObject({ message: again.errors![0]!.message, extensions });
    expect(again.extensions).toEqual(REPLAYED);
  });

  it.each([
    ['empty', ''],
    ['only spaces', '  '],
    ['too long', 'k'.repeat(256)],
    ['not ASCII', 'é'],
    ['not printable', 'a\n'],
    ['a number', 7],
    ['null', null],
    ['a list', ['a']],
  ])('is rejected and does not run if its key is %s', async (_what, key) => {
    const response = await mutateOn(key, CREATE_KEY, { name: 'bad' });
    expect(response).not.toHaveProperty('data');
    expect(response.errors).toMatchObject([
      {
        extensions: {
          code: 'validation_failed',
          details: [{ field: 'extensions.idempotencyKey', code: 'invalid' }],
        },
      },
    ]);
    expect(await keysNamed('bad')).toBe(0);
  });

  it('is the only operation that uses its key: queries and subscriptions ignore theirs', async () => {
    for (const key of ['read', ''])
      for (let i = 0; i < 2; i++)
        expect(await mutateOn(key, '{ me { id } }')).toEqual({ data: { me: { id: owner.id } } });
    const signals = 'subscription { tradeSignal(strategyId: "str_x") { id } }';
    expect(codesOf(await mutateOn('', signals))).toEqual(['not_found']);
  });
});

interface SocketResult {
  // biome-ignore lint/suspicious/noExplicitAny: its shape is that of the query
  readonly data?: any;
  readonly errors?: readonly GraphqlError[] | undefined;
  readonly extensions?: Record<string, unknown>;
}

/** Returns the result of one operation, or the errors if it was rejected. */
function executeOverSocket(client: Client, request: SubscribePayload): Promise<SocketResult> {
  return new Promise((resolve, reject) => {
    let response: SocketResult = {};
    client.subscribe(request, {
      next: (result) => {
        response = result as SocketResult;
      },
      error: (error) =>
        Array.isArray(error)
          ? resolve({ errors: error })
          : reject(new Error(`the operation ended with ${error}`)),
      complete: () => resolve(response),
    });
  });
}
