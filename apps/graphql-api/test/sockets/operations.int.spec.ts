/** Tests that queries and mutations over WebSocket return the same as over HTTP. */
import type { Client } from 'graphql-ws';
import { TestEnvironment } from '../../../rest-api/test/proofs/test-environment.js';
import { TestUser } from '../../../rest-api/test/proofs/test-user.js';
import { limitsOf } from '../../../rest-api/test/rate-limits.js';
import { sendGraphql, startTestGraphqlApi, type TestGraphqlApi } from '../test-graphql-api.js';
import { clientOf, executeOverSocket, withoutRequestIds } from './socket-clients.js';

let environment: TestEnvironment;
let api: TestGraphqlApi;
let person: TestUser;
let client: Client;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  api = await startTestGraphqlApi(environment.api.databaseUrl);
  person = await TestUser.create(environment);
  client = clientOf(api, person.keyPair);
});
afterAll(async () => {
  await client.dispose();
  await api.close();
  await environment.close();
});

describe('an operation over WebSocket', () => {
  it('returns the same result as HTTP for reads and writes', async () => {
    const strategy = await person.strategy();
    const query = `query ($id: ID!) { strategy(id: $id) { id name exchangeAccount { id } } me { id } }`;
    const { data } = await sendGraphql(api, person.keyPair, { query, variables: { id: strategy } });
    expect(data.strategy.id).toBe(strategy);
    for (let i = 0; i < 3; i++)
      expect((await executeOverSocket(client, query, { id: strategy })).data).toEqual(data);
    const create = 'mutation ($name: String!) { createApiKey(input: { name: $name }) { id name key } }';
    const created = await executeOverSocket(client, create, { name: 'by socket' });
    expect(created.data.createApiKey).toMatchObject({ name: 'by socket' });
    const rows = await environment.rows('SELECT FROM api_keys WHERE name = $1', 'by socket');
    expect(rows).toHaveLength(1);
  });

  it('with an empty operation name is executed as one without a name, as over HTTP', async () => {
    const request = { query: '{ me { id } }', operationName: '' };
    for (let i = 0; i < 3; i++) {
      const { data } = await sendGraphql(api, person.keyPair, request);
      const results = [];
      for await (const result of client.iterate(request)) results.push(result);
      expect([data, results]).toEqual([{ me: { id: person.id } }, [{ data }]]);
    }
  });

  it.each([
    ['a record that does not exist', '{ strategy(id: "str_x") { id } }'],
    ['a record of another user', '{ strategy(id: "$foreign") { id } }'],
    ['an invalid value', 'mutation { createApiKey(input: { name: "" }) { id } }'],
    ['an invalid page size', '{ trades(first: 101) { nodes { id } } }'],
    ['a field that does not exist', '{ nothing }'],
    ['a syntax error', '{'],
    ['a variable that is missing', 'query ($id: ID!) { strategy(id: $id) { id } }'],
  ])('that is rejected gets the same errors as over HTTP: %s', async (_what, text) => {
    const stranger = await TestUser.create(environment);
    const query = text.replace('$foreign', await stranger.strategy());
    const [overHttp, overSocket] = [
      await sendGraphql(api, person.keyPair, query),
      await executeOverSocket(client, query),
    ];
    expect(overHttp.errors?.length).toBeGreaterThan(0);
    expect(withoutRequestIds(overSocket.errors)).toEqual(withoutRequestIds(overHttp.errors));
    for (const { extensions } of overSocket.errors!) expect(extensions.request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is counted by the rate limits of its credential', async () => {
    const RATE_LIMITS = JSON.stringify(limitsOf({ requests: 4, seconds: 3_600 }));
    const strict = await startTestGraphqlApi(environment.api.databaseUrl, { RATE_LIMITS });
    const limitedUser = await TestUser.create(environment);
    const limited = clientOf(strict, limitedUser.keyPair);
    try {
      // The handshake took one of the four tokens.
      for (let i = 0; i < 3; i++)
        expect((await executeOverSocket(limited, '{ me { id } }')).data.me.id).toBe(limitedUser.id);
      for (const query of ['{ me { id } }', 'subscription { tradeSignal(strategyId: "str_x") { id } }']) {
        const [error] = (await executeOverSocket(limited, query)).errors!;
        expect(error).toMatchObject({ extensions: { code: 'rate_limited' } });
        expect(error!.extensions.retry_after).toBeGreaterThan(0);
      }
    } finally {
      await limited.dispose();
      await strict.close();
    }
  });
});

describe('a document', () => {
  it('gets no suggestions for misspelled names', async () => {
    const { errors } = await executeOverSocket(client, '{ strategi(id: "x") { id } }');
    expect(errors![0]!.message).not.toContain('Did you mean');
  });

  it('may introspect the schema, because every socket has credentials', async () => {
    const { data } = await executeOverSocket(
      client,
      '{ __schema { queryType { fields { name type { ofType { name } } } } } }',
    );
    expect(data.__schema.queryType.fields.length).toBeGreaterThan(10);
  });
});
