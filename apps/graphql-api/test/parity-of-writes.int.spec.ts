/**
 * Tests every write, by one user in REST and by another in GraphQL. The responses and the resulting records must be
 * equal.
 */
import { type Operation, settingOperations } from '@trading-automation/contracts';
import { goodRequest } from '../../rest-api/test/proofs/contract.js';
import { TestUser } from '../../rest-api/test/proofs/test-user.js';
import { ApiPair, graphqlOutcome, restOutcome } from './api-pair.js';
import { rootFieldOf, SHARED_OPERATIONS, toGraphqlData } from './operation-requests.js';
import { sendGraphql } from './test-graphql-api.js';

const writes = SHARED_OPERATIONS.filter((operation) => rootFieldOf(operation).kind === 'mutation');
const lists = SHARED_OPERATIONS.filter(
  ({ list, params, access }) => list !== undefined && params === undefined && access !== 'PUBLIC',
);

let apis: ApiPair;
/** Both users have equal records. */
let restUser: TestUser;
let graphqlUser: TestUser;
beforeAll(async () => {
  apis = await ApiPair.open();
  restUser = await TestUser.create(apis.environment);
  graphqlUser = await TestUser.create(apis.environment);
});
afterAll(() => apis?.close());

/** Patterns of the values that differ between equal records, and their placeholders. */
const PLACEHOLDERS: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z]{3})_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g, '$1_id'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'uuid'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'instant'],
  [/\bsvc_test_[0-9A-Za-z]{49}\b/g, 'key'],
  [/\bwhsec_[\w+/=-]+/g, 'secret'],
  [/\b0[23][0-9a-f]{64}\b/g, 'pubkey'],
  [/\bX[0-9a-f]{8}(?=\/USDT)/g, 'base'],
  [/("name":"webhook-timestamp","value":)"\d+"/g, '$1"seconds"'],
  [/"(user_?code|device_?code)":"[^"]*"/gi, '"$1":"some"'],
  [/"(last_?four|pubkey_?fingerprint)":"[^"]*"/gi, '"$1":"some"'],
];
const withPlaceholders = (value: unknown): unknown =>
  JSON.parse(
    PLACEHOLDERS.reduce(
      (text, [pattern, placeholder]) => text.replace(pattern, placeholder),
      JSON.stringify(value ?? null),
    ),
  );

async function perform(operation: Operation): Promise<readonly [rest: unknown, graphql: unknown]> {
  const [restRequest, graphqlRequest] = [
    await goodRequest(operation, restUser),
    await goodRequest(operation, graphqlUser),
  ];
  const rest = restOutcome(await apis.callRest(restUser, operation, restRequest));
  const graphql = graphqlOutcome(operation, await apis.callGraphql(graphqlUser, operation, graphqlRequest));
  expect([rest.error, graphql.error]).toEqual([undefined, undefined]);
  return [toGraphqlData(operation, rest.data), graphql.data];
}

it.each(writes.map((operation) => [operation.id, operation] as const))(
  '%s returns the same response in both APIs',
  async (_id, operation) => {
    const [rest, graphql] = await perform(operation);
    expect(withPlaceholders(graphql)).toEqual(withPlaceholders(rest));
  },
);

/** Creates records of which the writes leave none. */
const RECORDS_FOR: Readonly<Record<string, (user: TestUser) => Promise<unknown>>> = {
  'browserSessions.list': (user) => user.browserSession(),
  'positions.list': (user) => user.position(),
  'requestLog.list': (user) => user.loggedRequests(),
};

/** Returns sorted strings, because records of one instant have no order. */
async function recordsOf(person: TestUser, operation: Operation): Promise<string[]> {
  const response = await apis.callRest(person, operation, { query: { limit: '100' } });
  const { data, error } = restOutcome(response);
  if (error !== undefined) throw new Error(response.text);
  return (data as unknown[]).map((record) => JSON.stringify(withPlaceholders(record))).sort();
}

it.each(lists.map((operation) => [operation.id, operation] as const))(
  'both users have the same records in %s afterwards',
  async (_id, operation) => {
    for (const user of [restUser, graphqlUser]) await RECORDS_FOR[operation.id]?.(user);
    const rest = await recordsOf(restUser, operation);
    expect(await recordsOf(graphqlUser, operation)).toEqual(rest);
    expect(rest.length).toBeGreaterThan(0);
  },
);

describe('a setting with the value null', () => {
  const PUT = 'mutation ($input: SettingPutInput!) { putSetting(key: "none", input: $input) { value } }';
  const putByRest = async (body: object) =>
    restOutcome(await apis.callRest(restUser, settingOperations.put, { params: { key: 'none' }, body }));
  const send = (query: string, variables: object = {}) =>
    sendGraphql(apis.graphql, restUser.keyPair, { query, variables });

  it('can be put and read in both APIs', async () => {
    expect((await putByRest({ value: null })).data).toMatchObject({ key: 'none', value: null });
    const read = await send('{ setting(key: "none") { value } settings { nodes { key value } } }');
    expect([read.errors, read.data.setting]).toEqual([undefined, { value: null }]);
    expect(read.data.settings.nodes).toContainEqual({ key: 'none', value: null });
    const requests: readonly (readonly [query: string, variables: object])[] = [
      ['mutation { putSetting(key: "none", input: { value: null }) { value } }', {}],
      ['mutation ($v: JSON) { putSetting(key: "none", input: { value: $v }) { value } }', { v: null }],
      [PUT, { input: { value: null } }],
    ];
    for (const [query, variables] of requests) {
      // A document is compiled on its second use.
      for (let use = 1; use <= 3; use++) {
        await putByRest({ value: use });
        const { data, errors } = await send(query, variables);
        expect([errors, data.putSetting]).toEqual([undefined, { value: null }]);
        const { json } = await apis.callRest(restUser, settingOperations.get, {
          params: { key: 'none' },
        });
        expect(json.data).toMatchObject({ value: null });
      }
    }
  });

  it('differs from a missing value, which both APIs refuse', async () => {
    const required = { code: 'validation_failed', details: [{ field: 'value', code: 'required' }] };
    expect((await putByRest({})).error).toMatchObject(required);
    const requests: readonly (readonly [query: string, variables: object])[] = [
      ['mutation { putSetting(key: "none", input: {}) { value } }', {}],
      ['mutation ($v: JSON) { putSetting(key: "none", input: { value: $v }) { value } }', {}],
      [PUT, { input: {} }],
    ];
    for (const [query, variables] of requests)
      for (let use = 1; use <= 3; use++) {
        const { errors } = await send(query, variables);
        expect(errors?.map(({ extensions }) => extensions)).toMatchObject([
          { code: 'validation_failed', details: [{ field: 'value', code: 'required' }] },
        ]);
      }
  });
});
