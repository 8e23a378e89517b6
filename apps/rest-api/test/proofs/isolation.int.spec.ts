/** Tests that neither of two users with records of every type can read anything of the other. */
import { ID_PREFIXES, type IdPrefix, OPERATIONS, type Operation } from '@trading-automation/contracts';
import { exampleId } from '@trading-automation/contracts/samples';
import { type TestResponse } from '../send.js';
import { goodRequest, perform, populate } from './contract.js';
import type { GoodRequest } from './requests.js';
import { TestEnvironment } from './test-environment.js';
import { TestUser } from './test-user.js';

const ID = /\b(?!tpr_|rwt_)[a-z]{3}_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g;
/** Ids without a record, which the event catalogue shows to every user. */
const EXAMPLES = new Set<string>(Object.keys(ID_PREFIXES).map((prefix) => exampleId(prefix as IdPrefix)));
const idsIn = (text: string) => new Set((text.match(ID) ?? []).filter((id) => !EXAMPLES.has(id)));
const reads = OPERATIONS.filter(
  ({ method, stream, access }) => method === 'GET' && !stream && access !== 'PUBLIC',
);
const lists = reads.filter(({ list }) => list !== undefined);
const posts = OPERATIONS.filter(({ method, access }) => method === 'POST' && access !== 'CHALLENGE');

let environment: TestEnvironment;
let people: readonly [TestUser, TestUser];
let requests: readonly [ReadonlyMap<Operation, GoodRequest>, ReadonlyMap<Operation, GoodRequest>];

beforeAll(async () => {
  environment = await TestEnvironment.open();
  people = [await TestUser.create(environment), await TestUser.create(environment)];
  requests = [await populate(people[0]), await populate(people[1])];
});
afterAll(() => environment?.close());

const read = (who: 0 | 1, operation: Operation, query: Readonly<Record<string, string>> = {}) => {
  const request = requests[who].get(operation)!;
  return perform(operation, people[who], { ...request, query: { ...request.query, ...query } });
};
const whole = (operation: Operation): Record<string, string> =>
  operation.list === undefined ? {} : { limit: '100' };

it('reads return each user only their own records', async () => {
  const seen = [new Set<string>(), new Set<string>()];
  for (const who of [0, 1] as const)
    for (const operation of reads) {
      const answer = await read(who, operation, whole(operation));
      expect(answer.status).toBe(200);
      for (const id of idsIn(answer.text)) seen[who]!.add(id);
    }
  const [first, second] = seen as [Set<string>, Set<string>];
  expect(first.size).toBeGreaterThan(30);
  expect(second.size).toBeGreaterThan(30);
  expect([...first].filter((id) => second.has(id))).toEqual([]);
});

it('lists have records', async () => {
  const empty: string[] = [];
  for (const operation of lists) {
    const { json } = await read(0, operation, { limit: '100' });
    if ((json.data as unknown[]).length === 0) empty.push(operation.id);
  }
  expect(empty).toEqual([]);
});

it('a cursor of one user is invalid for the other', async () => {
  let tried = 0;
  for (const operation of lists) {
    const { json } = await read(0, operation, { limit: '1' });
    const cursor = (json.pagination as { next_cursor: string | null }).next_cursor;
    if (cursor === null) continue;
    // The same query, so that only the user differs.
    const request = requests[0].get(operation)!;
    const hasForeignPath = Object.keys(request.params ?? {}).length > 0;
    if (hasForeignPath) continue;
    const query = { ...request.query, limit: '1', cursor };
    const own = await perform(operation, people[0], { query });
    expect(own.status).toBe(200);
    const foreign = await perform(operation, people[1], { query });
    expect({ id: operation.id, status: foreign.status, code: foreign.json.error?.code }).toEqual({
      id: operation.id,
      status: 400,
      code: 'invalid_query',
    });
    tried++;
  }
  expect(tried).toBeGreaterThan(5);
});

describe.each(posts.map((operation) => [operation.id, operation] as const))('%s', (_id, operation) => {
  const send = (person: TestUser, request: GoodRequest, key: string) =>
    perform(operation, person, request, { headers: { 'idempotency-key': key } });
  const kept = ({ status, text, headers }: TestResponse) => ({ status, text, location: headers.location });

  it('takes effect once per Idempotency-Key and returns the same response again', async () => {
    const request = await goodRequest(operation, people[0]);
    const first = await send(people[0], request, `once ${operation.id}`);
    expect({ text: first.text, status: first.status }).toEqual({
      text: first.text,
      status: operation.status,
    });
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    const again = await send(people[0], request, `once ${operation.id}`);
    expect(kept(again)).toEqual(kept(first));
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  it('takes effect for each of two users with the same Idempotency-Key', async () => {
    for (const who of [0, 1] as const) {
      const request = await goodRequest(operation, people[who]);
      const answer = await send(people[who], request, `both ${operation.id}`);
      expect({ text: answer.text, status: answer.status }).toEqual({
        text: answer.text,
        status: operation.status,
      });
      expect(answer.headers['idempotency-replayed']).toBeUndefined();
    }
  });

  it('rejects an Idempotency-Key that was used with another body or query', async () => {
    const request = await goodRequest(operation, people[0]);
    await send(people[0], request, `reused ${operation.id}`);
    const other = { ...request, body: { ...(request.body as object | undefined), surprise: 1 } };
    const answer = await send(people[0], other, `reused ${operation.id}`);
    expect(answer.json.error?.code).toBe('idempotency_key_reused');
    expect(answer.status).toBe(422);
  });
});
