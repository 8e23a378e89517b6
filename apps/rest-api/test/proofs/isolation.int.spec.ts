/**
 * Tests with two users, each with records of every type: neither can read records of the other, and a POST takes effect
 * once per user and Idempotency-Key.
 */
import { ID_PREFIXES, type IdPrefix, OPERATIONS, type Operation } from '@trading-automation/contracts';
import { exampleId } from '@trading-automation/contracts/samples';
import { type TestResponse } from '../send.js';
import { goodRequest, perform, populate } from './contract.js';
import type { GoodRequest } from './requests.js';
import { TestEnvironment } from './test-environment.js';
import { TestUser } from './test-user.js';

const ID = /\b(?!tpr_|rwt_)[a-z]{3}_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g;
/** Ids in the samples of the event catalogue, which every user can read. They belong to no record. */
const EXAMPLES = new Set<string>(Object.keys(ID_PREFIXES).map((prefix) => exampleId(prefix as IdPrefix)));
const idsIn = (text: string) => new Set((text.match(ID) ?? []).filter((id) => !EXAMPLES.has(id)));
const reads = OPERATIONS.filter(
  ({ method, stream, access }) => method === 'GET' && !stream && access !== 'PUBLIC',
);
const lists = reads.filter(({ list }) => list !== undefined);
const posts = OPERATIONS.filter(
  // A public operation has no caller, so no response is stored.
  ({ id, method, access }) =>
    method === 'POST' && access !== 'CHALLENGE' && access !== 'PUBLIC' && id !== 'copiers.simulate',
);

let environment: TestEnvironment;
let users: readonly [TestUser, TestUser];
let requests: readonly [ReadonlyMap<Operation, GoodRequest>, ReadonlyMap<Operation, GoodRequest>];

beforeAll(async () => {
  environment = await TestEnvironment.open();
  users = [await TestUser.create(environment), await TestUser.create(environment)];
  requests = [await populate(users[0]), await populate(users[1])];
});
afterAll(() => environment?.close());

const read = (index: 0 | 1, operation: Operation, query: Readonly<Record<string, string>> = {}) => {
  const request = requests[index].get(operation)!;
  return perform(operation, users[index], { ...request, query: { ...request.query, ...query } });
};
/** Returns the query that reads all records of a list. */
const allRecords = (operation: Operation): Record<string, string> =>
  operation.list === undefined ? {} : { limit: '100' };

it('no id that one user can read is readable for the other', async () => {
  const readIds = [new Set<string>(), new Set<string>()];
  for (const index of [0, 1] as const)
    for (const operation of reads) {
      const response = await read(index, operation, allRecords(operation));
      expect(response.status).toBe(200);
      for (const id of idsIn(response.text)) readIds[index]!.add(id);
    }
  const [first, second] = readIds as [Set<string>, Set<string>];
  expect(first.size).toBeGreaterThan(30);
  expect(second.size).toBeGreaterThan(30);
  expect([...first].filter((id) => second.has(id))).toEqual([]);
});

it('precondition of the other tests: no list of the first user is empty', async () => {
  const empty: string[] = [];
  for (const operation of lists) {
    const { json } = await read(0, operation, { limit: '100' });
    if ((json.data as unknown[]).length === 0) empty.push(operation.id);
  }
  expect(empty).toEqual([]);
});

it('a cursor of the first user is invalid for the second', async () => {
  let testedCount = 0;
  for (const operation of lists) {
    const { json } = await read(0, operation, { limit: '1' });
    const cursor = (json.pagination as { next_cursor: string | null }).next_cursor;
    if (cursor === null) continue;
    // Both users send the same query. Skip lists whose path contains an id of the first user.
    const request = requests[0].get(operation)!;
    const hasIdInPath = Object.keys(request.params ?? {}).length > 0;
    if (hasIdInPath) continue;
    const query = { ...request.query, limit: '1', cursor };
    const ofFirst = await perform(operation, users[0], { query });
    expect(ofFirst.status).toBe(200);
    const ofSecond = await perform(operation, users[1], { query });
    expect({ id: operation.id, status: ofSecond.status, code: ofSecond.json.error?.code }).toEqual({
      id: operation.id,
      status: 400,
      code: 'invalid_query',
    });
    testedCount++;
  }
  expect(testedCount).toBeGreaterThan(5);
});

it('a simulation ignores its Idempotency-Key', async () => {
  const operation = OPERATIONS.find(({ id }) => id === 'copiers.simulate')!;
  const headers = { 'idempotency-key': 'simulated twice' };
  const request = requests[0].get(operation)!;
  const first = await perform(operation, users[0], request, { headers });
  const other = { ...request, body: { from: '2026-01-01T00:00:00Z' } };
  const again = await perform(operation, users[0], other, { headers });
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.headers['idempotency-replayed']).toBeUndefined();
});

describe.each(posts.map((operation) => [operation.id, operation] as const))('%s', (_id, operation) => {
  const send = (user: TestUser, request: GoodRequest, key: string) =>
    perform(operation, user, request, { headers: { 'idempotency-key': key } });
  const storedPart = ({ status, text, headers }: TestResponse) => ({
    status,
    text,
    location: headers.location,
  });

  it('takes effect once for an Idempotency-Key, and a repeated request gets the same response', async () => {
    const request = await goodRequest(operation, users[0]);
    const first = await send(users[0], request, `once ${operation.id}`);
    expect({ text: first.text, status: first.status }).toEqual({
      text: first.text,
      status: operation.status,
    });
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    const again = await send(users[0], request, `once ${operation.id}`);
    expect(storedPart(again)).toEqual(storedPart(first));
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  it('takes effect for each of two users with the same Idempotency-Key', async () => {
    for (const user of users) {
      const request = await goodRequest(operation, user);
      const response = await send(user, request, `both ${operation.id}`);
      expect({ text: response.text, status: response.status }).toEqual({
        text: response.text,
        status: operation.status,
      });
      expect(response.headers['idempotency-replayed']).toBeUndefined();
    }
  });

  it('rejects an Idempotency-Key that was used with another body', async () => {
    const request = await goodRequest(operation, users[0]);
    await send(users[0], request, `reused ${operation.id}`);
    const changed = { ...request, body: { ...(request.body as object | undefined), surprise: 1 } };
    const response = await send(users[0], changed, `reused ${operation.id}`);
    expect(response.json.error?.code).toBe('idempotency_key_reused');
    expect(response.status).toBe(422);
  });
});
