import fc from 'fast-check';
import { Client } from '../../src/client.js';
import { AuthenticationError, UnexpectedAnswerError } from '../../src/core/errors.js';
import { clientOf } from './clients.js';
import { API_KEY, FaultyApi, rejectsWith, reset } from './faulty-api.js';

let api: FaultyApi;
beforeEach(async () => {
  api = await FaultyApi.start();
});
afterEach(() => api.stop());

const createTrades = (count: number) => {
  for (let each = 1; each <= count; each++) api.createTrade(`order-${each}`);
};
const idsOf = async (items: AsyncIterable<{ readonly id: string }>) => {
  const ids: string[] = [];
  for await (const { id } of items) ids.push(id);
  return ids;
};
const idRange = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, index) => `trd_${from - index}`);

describe('iterating a list', () => {
  it('returns each item once and requests pages when they are needed', async () => {
    createTrades(5);
    const items = clientOf(api).trades.list({ limit: 2 })[Symbol.asyncIterator]();
    expect((await items.next()).value).toMatchObject({ id: 'trd_5' });
    await items.next();
    expect(api.requests).toHaveLength(1);
    expect((await items.next()).value).toMatchObject({ id: 'trd_3' });
    expect(api.requests).toHaveLength(2);
    expect(await idsOf({ [Symbol.asyncIterator]: () => items })).toEqual(['trd_2', 'trd_1']);
    expect(api.requests).toHaveLength(3);
  });

  it('requests no further page after leaving the loop', async () => {
    createTrades(5);
    for await (const { id } of clientOf(api).trades.list({ limit: 2 })) if (id === 'trd_4') break;
    expect(api.requests).toHaveLength(1);
  });

  it('requests every page with the same query and headers, but only the first one with the offset', async () => {
    createTrades(4);
    const list = clientOf(api).trades.list(
      { limit: 1, status: 'FILLED', sort: 'created_at', offset: 1, include: 'total' },
      { headers: { 'x-trace': 'one' } },
    );
    expect(await idsOf(list)).toEqual(['trd_3', 'trd_2', 'trd_1']);
    const sharedQuery = 'limit=1&status=FILLED&sort=created_at';
    expect(api.requests.map(({ path }) => path)).toEqual([
      `/v1/trades?${sharedQuery}&offset=1&include=total`,
      `/v1/trades?${sharedQuery}&include=total&cursor=3`,
      `/v1/trades?${sharedQuery}&include=total&cursor=2`,
    ]);
    expect(api.requests.map(({ headers }) => headers['x-trace'])).toEqual(['one', 'one', 'one']);
  });

  it('works with client.list, and keeps a query that the path contains', async () => {
    createTrades(4);
    const client = new Client({ baseURL: api.origin, apiKey: API_KEY, logLevel: 'off' });
    const list = client.list<{ id: string }>('/v1/trades?limit=2&offset=1', { status: 'FILLED' });
    expect(await idsOf(list)).toEqual(['trd_3', 'trd_2', 'trd_1']);
    expect(api.requests.map(({ path }) => path)).toEqual([
      '/v1/trades?limit=2&offset=1&status=FILLED',
      '/v1/trades?limit=2&status=FILLED&cursor=2',
    ]);
    await expect(client.list('/v1/me')).rejects.toThrow(UnexpectedAnswerError);
  });

  it('neither skips nor repeats an item if other items are created or deleted between pages', async () => {
    const change = fc.record({ created: fc.nat(3), deleted: fc.array(fc.nat(30), { maxLength: 3 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(9),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(3),
        fc.array(change),
        async (count, limit, offset, changes) => {
          api.trades.length = 0;
          createTrades(count);
          const initialIds = api.trades.map(({ id }) => id).slice(offset);
          const pending = [...changes];
          api.beforePage = (page) => {
            const { created, deleted } =
              page === 1 ? { created: 0, deleted: [] } : (pending.shift() ?? { created: 0, deleted: [] });
            for (const index of deleted) api.trades.splice(index, 1);
            createTrades(created);
          };
          api.resetPageCount();
          const seen = await idsOf(clientOf(api).trades.list({ limit, offset }));
          const remaining = new Set(api.trades.map(({ id }) => id));
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen.filter((id) => remaining.has(id))).toEqual(
            initialIds.filter((id) => remaining.has(id)),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it('continues after transient failures of a page', async () => {
    createTrades(5);
    const list = clientOf(api).trades.list({ limit: 2 });
    await list;
    api.faults.push(reset, rejectsWith(503, 'service_unavailable'));
    expect(await idsOf(list)).toEqual(idRange(5, 1));
  });

  it('returns the items of the first page, and then throws if the credential was revoked', async () => {
    createTrades(5);
    api.beforePage = () => api.apiKeys.delete(API_KEY);
    const ids: string[] = [];
    const reading = async () => {
      for await (const { id } of clientOf(api).trades.list({ limit: 2 })) ids.push(id);
    };
    await expect(reading()).rejects.toBeInstanceOf(AuthenticationError);
    expect(ids).toEqual(['trd_5', 'trd_4']);
  });

  it('starts from the first item again when it is repeated, without a new request for the first page', async () => {
    createTrades(3);
    const list = clientOf(api).trades.list({ limit: 2 });
    expect(await idsOf(list)).toEqual(await idsOf(list));
    expect(api.requests).toHaveLength(3);
  });
});

describe('toArray', () => {
  it('returns up to `limit` items and requests only the pages that contain them', async () => {
    createTrades(9);
    const { trades } = clientOf(api);
    const four = await trades.list({ limit: 2 }).toArray({ limit: 4 });
    expect(four.map(({ id }) => id)).toEqual(idRange(9, 6));
    expect(api.requests).toHaveLength(2);
    expect(await trades.list({ limit: 5 }).toArray({ limit: 1_000 })).toHaveLength(9);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('rejects the limit %d', async (limit) => {
    await expect(clientOf(api).trades.list().toArray({ limit })).rejects.toBeInstanceOf(RangeError);
  });
});

describe('pages', () => {
  it('give access to the next page; the last page throws a RangeError instead', async () => {
    createTrades(3);
    const first = await clientOf(api).trades.list({ limit: 2 });
    expect(first.hasNextPage()).toBe(true);
    const second = await first.getNextPage();
    expect([second.data.map(({ id }) => id), second.hasNextPage()]).toEqual([['trd_1'], false]);
    await expect(second.getNextPage()).rejects.toBeInstanceOf(RangeError);
  });

  it('are iterated by iterPages of a list', async () => {
    createTrades(5);
    const sizes: number[] = [];
    for await (const { data } of clientOf(api).trades.list({ limit: 2 }).iterPages()) sizes.push(data.length);
    expect(sizes).toEqual([2, 2, 1]);
  });

  it('include one empty page for an empty list', async () => {
    const page = await clientOf(api).trades.list();
    expect([page.data, page.hasNextPage(), await idsOf(page)]).toEqual([[], false, []]);
  });
});
