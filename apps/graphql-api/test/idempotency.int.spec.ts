/** An Idempotency-Key on a mutation: each root field happens once, and is answered the same again. */
import type { IncomingHttpHeaders } from 'node:http';
import { Person } from '../../rest-api/test/proofs/person.js';
import { type Answered, ask } from './real-graphql-api.js';
import { TwoApis } from './two-apis.js';

let apis: TwoApis;
let owner: Person;
beforeAll(async () => {
  apis = await TwoApis.open();
});
beforeEach(async () => {
  owner = await Person.join(apis.market);
});
afterAll(() => apis?.close());

const mutate = (key: string, query: string, variables: object = {}, person = owner): Promise<Answered> =>
  ask(apis.graphql, person.holder, { query, variables }, { 'idempotency-key': key });
const MAKE = 'mutation Make($name: String!) { createApiKey(input: { name: $name }) { id name key } }';
const codesOf = ({ errors }: Answered) => errors?.map(({ extensions }) => extensions.code);
const isReplayed = ({ headers }: { headers: IncomingHttpHeaders }) => headers['idempotency-replayed'];

/** How many keys of that name there are. */
async function keysNamed(name: string, person = owner): Promise<number> {
  const [row] = await apis.market.rows(
    'SELECT count(*)::int AS count FROM api_keys WHERE user_id = $1 AND name = $2',
    person.uuid,
    name,
  );
  return row!.count as number;
}

it('happens once, and its answer comes again, marked as such', async () => {
  const first = await mutate('once', MAKE, { name: 'once' });
  expect([first.errors, isReplayed(first)]).toEqual([undefined, undefined]);
  const again = await mutate('once', MAKE, { name: 'once' });
  expect(again.text).toBe(first.text);
  expect([again.status, isReplayed(again)]).toEqual([200, 'true']);
  expect(await keysNamed('once')).toBe(1);
});

it('happens as often as it is asked for without a key', async () => {
  for (let i = 0; i < 2; i++)
    await ask(apis.graphql, owner.holder, { query: MAKE, variables: { name: 'bare' } });
  expect(await keysNamed('bare')).toBe(2);
});

it('happens once of twenty at once; who comes meanwhile is told so or gets that answer', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => mutate('at once', MAKE, { name: 'at once' })),
  );
  expect(await keysNamed('at once')).toBe(1);
  const good = answers.filter(({ errors }) => errors === undefined);
  expect(good.length).toBeGreaterThan(0);
  expect(new Set(good.map(({ text }) => text)).size).toBe(1);
  expect(good.filter((answer) => isReplayed(answer) === undefined)).toHaveLength(1);
  for (const answer of answers)
    if (answer.errors !== undefined) expect(codesOf(answer)).toEqual(['idempotency_in_progress']);
});

it('gives each alias of a document a key of its own', async () => {
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

it('reads edges of a kept answer anew, and what may be asked of it', async () => {
  const accountId = await owner.account();
  const input = { name: 'kept', exchangeAccountId: accountId, sizing: { mode: 'FIXED_QUOTE', value: '100' } };
  const document = `mutation Make($input: CopierCreateInput!) {
    createCopier(input: $input) { id name createdAt sizing { mode value } exchangeAccount { accountName } } }`;
  const first = await mutate('edges', document, { input });
  expect(first.errors).toBeUndefined();
  await owner.got('PATCH', `/v1/exchanges/${accountId}`, { account_name: 'renamed' });
  await owner.got('PATCH', `/v1/copiers/${first.data.createCopier.id}`, { name: 'renamed' });
  const again = await mutate('edges', document, { input });
  expect(again.data.createCopier).toEqual({
    ...first.data.createCopier,
    exchangeAccount: { accountName: 'renamed' },
  });
  expect(isReplayed(again)).toBe('true');
});

it('refuses a key that came with another document, or with other variables', async () => {
  await mutate('reused', MAKE, { name: 'first' });
  const otherDocument = MAKE.replace('id name key', 'id');
  for (const [document, name] of [
    [MAKE, 'second'],
    [otherDocument, 'first'],
  ] as const) {
    const answer = await mutate('reused', document, { name });
    expect(codesOf(answer)).toEqual(['idempotency_key_reused']);
    expect(answer.errors![0]!.path).toEqual(['createApiKey']);
    expect(answer.data).toEqual({ createApiKey: null });
    expect(isReplayed(answer)).toBeUndefined();
  }
  expect(await keysNamed('first')).toBe(1);
  expect(await keysNamed('second')).toBe(0);
});

it('keeps a refusal, of the input as of the state, with its details', async () => {
  const trade = await owner.trade();
  await owner.got('POST', `/v1/trades/${trade}/cancel`);
  const tooLong = { query: MAKE, variables: { name: 'n'.repeat(1_001) } };
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
    const { request_id: _, ...extensions } = again.errors![0]!.extensions;
    expect(first.errors![0]).toMatchObject({ message: again.errors![0]!.message, extensions });
    expect(isReplayed(again)).toBe('true');
  }
});

it('is of one person: another may choose the same key', async () => {
  const other = await Person.join(apis.market);
  for (const person of [owner, other]) {
    const answer = await mutate('shared', MAKE, { name: 'shared' }, person);
    expect([answer.errors, isReplayed(answer)]).toEqual([undefined, undefined]);
    expect(await keysNamed('shared', person)).toBe(1);
  }
});

it('is another key than the same one on REST', async () => {
  await mutate('both', MAKE, { name: 'both' });
  const rest = await owner.call('POST', '/v1/api-keys', {
    body: { name: 'both' },
    headers: { 'idempotency-key': 'both' },
  });
  expect(rest.json.success).toBe(true);
  expect(await keysNamed('both')).toBe(2);
});
