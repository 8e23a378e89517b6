import { eventually } from '@trading-automation/runtime/testing';
import { TestEnvironment } from '../../../rest-api/test/proofs/test-environment.js';
import { type KeyPair, openAccount } from '../../../rest-api/test/test-rest-api.js';
import { post, sendGraphql, startTestGraphqlApi, type TestGraphqlApi } from '../test-graphql-api.js';

let environment: TestEnvironment;
let api: TestGraphqlApi;
let owner: KeyPair;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  await environment.rows('DROP RULE discard_requests ON request_log');
  api = await startTestGraphqlApi(environment.api.databaseUrl);
  owner = await openAccount(environment.api);
});
afterAll(async () => {
  await api?.close();
  await environment?.close();
});

it('the request log shows the requests of key pairs, executed or refused, and no anonymous ones', async () => {
  await post(api, JSON.stringify({ query: '{ health { status } }' }));
  await sendGraphql(api, owner, { query: '{ me { id } }' });
  await sendGraphql(api, owner, {});
  const QUERY = `{ requestLog(order: asc) { nodes {
    method route status address credential { kind } durationMs requestId createdAt } } }`;
  const nodes = await eventually(async () => {
    const { data } = await sendGraphql(api, owner, { query: QUERY });
    return data.requestLog.nodes.length >= 2 && data.requestLog.nodes;
  });
  const row = {
    method: 'POST',
    route: '/graphql',
    address: '127.0.0.1',
    credential: { kind: 'public_key' },
    durationMs: expect.any(Number),
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    createdAt: expect.any(String),
  };
  expect(nodes.slice(0, 2)).toEqual(
    expect.arrayContaining([
      { ...row, status: 200 },
      { ...row, status: 422 },
    ]),
  );
});
