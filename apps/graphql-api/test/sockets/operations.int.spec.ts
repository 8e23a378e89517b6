/** Queries and mutations over WebSocket: what HTTP answers. */
import type { Client } from 'graphql-ws';
import { Market } from '../../../rest-api/test/proofs/market.js';
import { Person } from '../../../rest-api/test/proofs/person.js';
import { limitsOf } from '../../../rest-api/test/rate-limits.js';
import { ask, type RealGraphqlApi, startRealGraphqlApi } from '../real-graphql-api.js';
import { askSocket, clientOf, lasting } from './real-sockets.js';

let market: Market;
let api: RealGraphqlApi;
let person: Person;
let client: Client;
beforeAll(async () => {
  market = await Market.open();
  api = await startRealGraphqlApi(market.api.databaseUrl);
  person = await Person.join(market);
  client = clientOf(api, person.holder);
});
afterAll(async () => {
  await client.dispose();
  await api.close();
  await market.close();
});

describe('an operation over WebSocket', () => {
  it('that reads or writes gets the answer that HTTP gives', async () => {
    const strategy = await person.strategy();
    const query = `query ($id: ID!) { strategy(id: $id) { id name exchangeAccount { id } } me { id } }`;
    const { data } = await ask(api, person.holder, { query, variables: { id: strategy } });
    expect(data.strategy.id).toBe(strategy);
    for (let i = 0; i < 3; i++) expect((await askSocket(client, query, { id: strategy })).data).toEqual(data);
    const create = 'mutation ($name: String!) { createApiKey(input: { name: $name }) { id name key } }';
    const made = await askSocket(client, create, { name: 'by socket' });
    expect(made.data.createApiKey).toMatchObject({ name: 'by socket' });
    const rows = await market.rows('SELECT FROM api_keys WHERE name = $1', 'by socket');
    expect(rows).toHaveLength(1);
  });

  it('whose name is empty has none, as over HTTP', async () => {
    const asked = { query: '{ me { id } }', operationName: '' };
    for (let i = 0; i < 3; i++) {
      const { data } = await ask(api, person.holder, asked);
      const results = [];
      for await (const result of client.iterate(asked)) results.push(result);
      expect([data, results]).toEqual([{ me: { id: person.id } }, [{ data }]]);
    }
  });

  it.each([
    ['a record that there is not', '{ strategy(id: "str_x") { id } }'],
    ['a record of somebody else', '{ strategy(id: "$foreign") { id } }'],
    ['a value that is refused', 'mutation { createApiKey(input: { name: "" }) { id } }'],
    ['a page that is refused', '{ trades(first: 101) { nodes { id } } }'],
    ['a field that there is not', '{ nothing }'],
    ['no document', '{'],
    ['a variable that is missing', 'query ($id: ID!) { strategy(id: $id) { id } }'],
  ])('that is refused gets the errors that HTTP gives: %s', async (_what, text) => {
    const stranger = await Person.join(market);
    const query = text.replace('$foreign', await stranger.strategy());
    const [overHttp, overSocket] = [await ask(api, person.holder, query), await askSocket(client, query)];
    expect(overHttp.errors?.length).toBeGreaterThan(0);
    expect(lasting(overSocket.errors)).toEqual(lasting(overHttp.errors));
    for (const { extensions } of overSocket.errors!) expect(extensions.request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is counted by the rate limits of its credential', async () => {
    const RATE_LIMITS = JSON.stringify(limitsOf({ requests: 4, seconds: 3_600 }));
    const strict = await startRealGraphqlApi(market.api.databaseUrl, { RATE_LIMITS });
    const own = await Person.join(market);
    const limited = clientOf(strict, own.holder);
    try {
      // One of the four was the handshake's.
      for (let i = 0; i < 3; i++) expect((await askSocket(limited, '{ me { id } }')).data.me.id).toBe(own.id);
      for (const query of ['{ me { id } }', 'subscription { tradeSignal(strategyId: "str_x") { id } }']) {
        const [error] = (await askSocket(limited, query)).errors!;
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
  it('gets no suggestions for what it misspells', async () => {
    const { errors } = await askSocket(client, '{ strategi(id: "x") { id } }');
    expect(errors![0]!.message).not.toContain('Did you mean');
  });

  it('may ask for the schema: nobody is on a socket without credentials', async () => {
    const { data } = await askSocket(
      client,
      '{ __schema { queryType { fields { name type { ofType { name } } } } } }',
    );
    expect(data.__schema.queryType.fields.length).toBeGreaterThan(10);
  });
});
