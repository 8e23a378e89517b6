/** Tests for every list that limit, offset, cursor, sort, order and include follow the same rules. */
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
const paginationOf = ({ json }: TestResponse) => json.pagination as Pagination;
const items = ({ json }: TestResponse) => json.data as Record<string, unknown>[];

describe.each(lists)('%s', (_id, operation, { sorts, limitDefault }) => {
  let request: GoodRequest;
  beforeAll(() => {
    request = requests.get(operation)!;
  });
  const read = (query: Readonly<Record<string, string>>) =>
    perform(operation, owner, { ...request, query: { ...request.query, ...query } });

  it('uses the default limit, offset 0 and no total if the request has no parameters', async () => {
    const response = await read({});
    expectContract(operation, response);
    expect(paginationOf(response)).toMatchObject({ limit: limitDefault, offset: 0 });
    expect(limitDefault).toBe(operation.id === 'trades.list' ? 50 : 20);
    expect(paginationOf(response)).not.toHaveProperty('total');
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
    const response = await read({ [name]: value });
    expect(response.json.error?.code).toBe('invalid_query');
    expect(response.json.error?.details?.[0]?.field).toBe(name);
    expectContract(operation, response);
  });

  it('rejects an unknown sort field and names the supported fields', async () => {
    const response = await read({ sort: 'password' });
    expect(response.json.error?.code).toBe('invalid_query');
    for (const sort of sorts) expect(JSON.stringify(response.json.error)).toContain(sort);
  });

  it('rejects a repeated parameter, and a cursor together with an offset', async () => {
    const cursorAndOffset = await perform(operation, owner, {
      ...request,
      query: { ...request.query, offset: '0', cursor: 'x' },
    });
    expect(cursorAndOffset.json.error?.code).toBe('invalid_query');
    const withRepeatedLimit = { ...operation, path: `${operation.path}?limit=5&limit=5` as `/v1/${string}` };
    const response = await perform(withRepeatedLimit, owner, { params: request.params ?? {} });
    expect(response.json.error).toMatchObject({ code: 'invalid_query', details: [{ field: 'limit' }] });
  });

  it('sorts by every supported field; ascending is the reverse of descending', async () => {
    for (const sort of sorts) {
      const [descending, ascending] = await Promise.all([
        read({ sort, order: 'desc', limit: '100' }),
        read({ sort, order: 'asc', limit: '100' }),
      ]);
      expectContract(operation, descending);
      expect(paginationOf(descending).has_more).toBe(false);
      expect(items(ascending)).toEqual(items(descending).toReversed());
    }
  });

  it('returns the number of its records as total, and all records page by page, by cursor and by offset', async () => {
    const all = await read({ limit: '100', include: 'total' });
    expect(paginationOf(all).total).toBe(items(all).length);
    const [byCursor, byOffset]: [unknown[], unknown[]] = [[], []];
    let cursor: string | null = null;
    for (let offset = 0; offset < items(all).length; offset++) {
      const page: TestResponse = await read({ limit: '1', ...(cursor === null ? {} : { cursor }) });
      byCursor.push(...items(page));
      cursor = paginationOf(page).next_cursor;
      byOffset.push(...items(await read({ limit: '1', offset: String(offset) })));
    }
    expect(cursor).toBeNull();
    expect(byCursor).toEqual(items(all));
    expect(byOffset).toEqual(items(all));
  });
});
