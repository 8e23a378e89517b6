/** Tests that every list accepts limit, offset, cursor, sort, order and include by the same rules. */
import { OPERATIONS, type Operation } from '@trading-automation/contracts';
import { type TestResponse } from '../send.js';
import { expectContract, perform, populate } from './contract.js';
import type { GoodRequest } from './requests.js';
import { TestEnvironment } from './test-environment.js';
import { TestUser } from './test-user.js';

let environment: TestEnvironment;
let owner: TestUser;
let requests: ReadonlyMap<Operation, GoodRequest>;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  owner = await TestUser.create(environment);
  requests = await populate(owner);
});
afterAll(() => environment?.close());

const lists = OPERATIONS.flatMap((operation) =>
  operation.list === undefined ? [] : [[operation.id, operation, operation.list] as const],
);
type Pagination = {
  limit: number;
  offset: number;
  has_more: boolean;
  next_cursor: string | null;
  total?: number;
};
const pageOf = ({ json }: TestResponse) => json.pagination as Pagination;
const items = ({ json }: TestResponse) => json.data as Record<string, unknown>[];

describe.each(lists)('%s', (_id, operation, { sorts, limitDefault }) => {
  let request: GoodRequest;
  beforeAll(() => {
    request = requests.get(operation)!;
  });
  const read = (query: Readonly<Record<string, string>>) =>
    perform(operation, owner, { ...request, query: { ...request.query, ...query } });

  it('returns the documented default page if no query is sent', async () => {
    const answer = await read({});
    expectContract(operation, answer);
    expect(pageOf(answer)).toMatchObject({ limit: limitDefault, offset: 0 });
    expect(limitDefault).toBe(operation.id === 'trades.list' ? 50 : 20);
    expect(pageOf(answer)).not.toHaveProperty('total');
  });

  it.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '1.5'],
    ['limit', 'many'],
    ['limit', ''],
    ['offset', '-1'],
    ['offset', '1000001'],
    ['order', 'up'],
    ['cursor', 'abc'],
    ['include', 'everything'],
  ])('rejects %s=%s', async (name, value) => {
    const answer = await read({ [name]: value });
    expect(answer.json.error?.code).toBe('invalid_query');
    expect(answer.json.error?.details?.[0]?.field).toBe(name);
    expectContract(operation, answer);
  });

  it('rejects an unknown sort field and names the supported fields', async () => {
    const answer = await read({ sort: 'password' });
    expect(answer.json.error?.code).toBe('invalid_query');
    for (const sort of sorts) expect(JSON.stringify(answer.json.error)).toContain(sort);
  });

  it('rejects a repeated parameter, and a cursor together with an offset', async () => {
    const both = await perform(operation, owner, {
      ...request,
      query: { ...request.query, offset: '0', cursor: 'x' },
    });
    expect(both.json.error?.code).toBe('invalid_query');
    const twice = { ...operation, path: `${operation.path}?limit=5&limit=5` as `/v1/${string}` };
    const answer = await perform(twice, owner, { params: request.params ?? {} });
    expect(answer.json.error).toMatchObject({ code: 'invalid_query', details: [{ field: 'limit' }] });
  });

  it('sorts the same records by every supported field, ascending and descending', async () => {
    for (const sort of sorts) {
      const [down, up] = await Promise.all([
        read({ sort, order: 'desc', limit: '100' }),
        read({ sort, order: 'asc', limit: '100' }),
      ]);
      expectContract(operation, down);
      expect(pageOf(down).has_more).toBe(false);
      expect(items(up)).toEqual(items(down).toReversed());
    }
  });

  it('counts its records, and returns all of them by cursor and by offset', async () => {
    const whole = await read({ limit: '100', include: 'total' });
    expect(pageOf(whole).total).toBe(items(whole).length);
    const [byCursor, byOffset]: [unknown[], unknown[]] = [[], []];
    let cursor: string | null = null;
    for (let offset = 0; offset < items(whole).length; offset++) {
      const page: TestResponse = await read({ limit: '1', ...(cursor === null ? {} : { cursor }) });
      byCursor.push(...items(page));
      cursor = pageOf(page).next_cursor;
      byOffset.push(...items(await read({ limit: '1', offset: String(offset) })));
    }
    expect(cursor).toBeNull();
    expect(byCursor).toEqual(items(whole));
    expect(byOffset).toEqual(items(whole));
  });
});
