import fc from 'fast-check';
import { Client } from '../../src/client.js';
import { AuthenticationError, UnexpectedAnswerError } from '../../src/core/errors.js';
import { clientOf } from './clients.js';
import { API_KEY, FaultyApi, rejectsWith, reset } from './faulty-api.js';

let farSide: FaultyApi;
beforeEach(async () => {
  farSide = await FaultyApi.start();
});
afterEach(() => farSide.stop());

const make = (count: number) => {
  for (let each = 1; each <= count; each++) farSide.make(`order-${each}`);
};
const idsOf = async (items: AsyncIterable<{ readonly id: string }>) => {
  const ids: string[] = [];
  for await (const { id } of items) ids.push(id);
  return ids;
};
const namesOf = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, index) => `trd_${from - index}`);

describe('a list that is iterated', () => {
  it('gives each item once, asking for pages as they are needed', async () => {
    make(5);
    const items = clientOf(farSide).trades.list({ limit: 2 })[Symbol.asyncIterator]();
    expect((await items.next()).value).toMatchObject({ id: 'trd_5' });
    await items.next();
    expect(farSide.seen).toHaveLength(1);
    expect((await items.next()).value).toMatchObject({ id: 'trd_3' });
    expect(farSide.seen).toHaveLength(2);
    expect(await idsOf({ [Symbol.asyncIterator]: () => items })).toEqual(['trd_2', 'trd_1']);
    expect(farSide.seen).toHaveLength(3);
  });

  it('asks for nothing more once the loop is left', async () => {
    make(5);
    for await (const { id } of clientOf(farSide).trades.list({ limit: 2 })) if (id === 'trd_4') break;
    expect(farSide.seen).toHaveLength(1);
  });

  it('keeps what was asked for on every page, but for the offset', async () => {
    make(4);
    const list = clientOf(farSide).trades.list(
      { limit: 1, status: 'FILLED', sort: 'created_at', offset: 1, include: 'total' },
      { headers: { 'x-trace': 'one' } },
    );
    expect(await idsOf(list)).toEqual(['trd_3', 'trd_2', 'trd_1']);
    const rest = 'limit=1&status=FILLED&sort=created_at';
    expect(farSide.seen.map(({ path }) => path)).toEqual([
      `/v1/trades?${rest}&offset=1&include=total`,
      `/v1/trades?${rest}&include=total&cursor=3`,
      `/v1/trades?${rest}&include=total&cursor=2`,
    ]);
    expect(farSide.seen.map(({ headers }) => headers['x-trace'])).toEqual(['one', 'one', 'one']);
  });

  it('goes on as well where the SDK has no method for it, and keeps the query of the path', async () => {
    make(4);
    const client = new Client({ baseURL: farSide.origin, apiKey: API_KEY, logLevel: 'off' });
    const list = client.list<{ id: string }>('/v1/trades?limit=2&offset=1', { status: 'FILLED' });
    expect(await idsOf(list)).toEqual(['trd_3', 'trd_2', 'trd_1']);
    expect(farSide.seen.map(({ path }) => path)).toEqual([
      '/v1/trades?limit=2&offset=1&status=FILLED',
      '/v1/trades?limit=2&status=FILLED&cursor=2',
    ]);
    await expect(client.list('/v1/me')).rejects.toThrow(UnexpectedAnswerError);
  });

  it('loses and doubles none of what stays, whatever is made and goes between its pages', async () => {
    const change = fc.record({ made: fc.nat(3), gone: fc.array(fc.nat(30), { maxLength: 3 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(9),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(3),
        fc.array(change),
        async (count, limit, offset, changes) => {
          farSide.trades.length = 0;
          make(count);
          const atFirst = farSide.trades.map(({ id }) => id).slice(offset);
          const left = [...changes];
          farSide.beforePage = (page) => {
            const { made, gone } =
              page === 1 ? { made: 0, gone: [] } : (left.shift() ?? { made: 0, gone: [] });
            for (const place of gone) farSide.trades.splice(place, 1);
            make(made);
          };
          farSide.forgetPages();
          const seen = await idsOf(clientOf(farSide).trades.list({ limit, offset }));
          const staying = new Set(farSide.trades.map(({ id }) => id));
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen.filter((id) => staying.has(id))).toEqual(atFirst.filter((id) => staying.has(id)));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('goes on where a page failed for a moment', async () => {
    make(5);
    const list = clientOf(farSide).trades.list({ limit: 2 });
    await list;
    farSide.faults.push(reset, rejectsWith(503, 'service_unavailable'));
    expect(await idsOf(list)).toEqual(namesOf(5, 1));
  });

  it('throws where the credential is revoked meanwhile, behind the items that it had given', async () => {
    make(5);
    farSide.beforePage = () => farSide.keys.delete(API_KEY);
    const ids: string[] = [];
    const reading = async () => {
      for await (const { id } of clientOf(farSide).trades.list({ limit: 2 })) ids.push(id);
    };
    await expect(reading()).rejects.toBeInstanceOf(AuthenticationError);
    expect(ids).toEqual(['trd_5', 'trd_4']);
  });

  it('begins again where it is iterated again, without asking for its first page twice', async () => {
    make(3);
    const list = clientOf(farSide).trades.list({ limit: 2 });
    expect(await idsOf(list)).toEqual(await idsOf(list));
    expect(farSide.seen).toHaveLength(3);
  });
});

describe('toArray', () => {
  it('gives so many items, from no more pages than they are on', async () => {
    make(9);
    const { trades } = clientOf(farSide);
    const four = await trades.list({ limit: 2 }).toArray({ limit: 4 });
    expect(four.map(({ id }) => id)).toEqual(namesOf(9, 6));
    expect(farSide.seen).toHaveLength(2);
    expect(await trades.list({ limit: 5 }).toArray({ limit: 1_000 })).toHaveLength(9);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %d', async (limit) => {
    await expect(clientOf(farSide).trades.list().toArray({ limit })).rejects.toBeInstanceOf(RangeError);
  });
});

describe('pages', () => {
  it('lead from one to the next, and the last says that it is', async () => {
    make(3);
    const first = await clientOf(farSide).trades.list({ limit: 2 });
    expect(first.hasNextPage()).toBe(true);
    const second = await first.getNextPage();
    expect([second.data.map(({ id }) => id), second.hasNextPage()]).toEqual([['trd_1'], false]);
    await expect(second.getNextPage()).rejects.toBeInstanceOf(RangeError);
  });

  it('are iterated as pages from a list', async () => {
    make(5);
    const sizes: number[] = [];
    for await (const { data } of clientOf(farSide).trades.list({ limit: 2 }).iterPages())
      sizes.push(data.length);
    expect(sizes).toEqual([2, 2, 1]);
  });

  it('of an empty list are one', async () => {
    const page = await clientOf(farSide).trades.list();
    expect([page.data, page.hasNextPage(), await idsOf(page)]).toEqual([[], false, []]);
  });
});
