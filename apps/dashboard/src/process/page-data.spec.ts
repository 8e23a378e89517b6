import { QueryClient } from '@tanstack/react-query';
import { PageData } from './page-data.js';

const queryOf = (key: string, load: () => Promise<unknown>) => ({
  queryKey: [key],
  queryFn: load,
  retry: false,
});
const never = () => new Promise(() => undefined);

describe('the data of a page', () => {
  it('are loaded once for all views, and taken once', async () => {
    const [queries, data] = [new QueryClient(), new PageData(500)];
    let loads = 0;
    const query = queryOf('a', async () => ++loads);
    await Promise.all([data.load(queries, query), data.load(queries, query)]);
    expect(data.takeLoaded(queries)).toEqual([{ key: ['a'], data: 1, at: expect.any(Number) }]);
    await data.load(
      queries,
      queryOf('b', async () => 'other'),
    );
    expect(data.takeLoaded(queries)).toEqual([{ key: ['b'], data: 'other', at: expect.any(Number) }]);
  });

  it('have the pages of an infinite query', async () => {
    const [queries, data] = [new QueryClient(), new PageData(500)];
    const query = {
      ...queryOf('list', async () => ({ data: [1] })),
      initialPageParam: '',
      getNextPageParam: () => null,
    };
    await data.load(queries, query);
    expect(data.takeLoaded(queries)).toMatchObject([{ data: { pages: [{ data: [1] }], pageParams: [''] } }]);
  });

  it('lack a query that failed, so that it is rendered as loading', async () => {
    const [queries, data] = [new QueryClient(), new PageData(500)];
    await data.load(
      queries,
      queryOf('a', async () => Promise.reject(new Error('The API did not respond.'))),
    );
    expect(queries.getQueryState(['a'])).toBeUndefined();
    expect(data.takeLoaded(queries)).toEqual([]);
  });

  it('lack all queries that are not loaded within the time of the page, even if they complete later', async () => {
    const [queries, data] = [new QueryClient(), new PageData(20)];
    let complete = (_value: string) => {};
    const slow = queryOf('slow', () => new Promise((resolve) => (complete = resolve)));
    await data.load(queries, slow);
    await data.load(queries, queryOf('after', never));
    complete('too late');
    await data.load(queries, slow);
    expect(data.takeLoaded(queries)).toEqual([]);
  });

  it('are complete only when no view has asked for any in a while, even if all were loaded', async () => {
    const [queries, data] = [new QueryClient(), new PageData(500)];
    const query = queryOf('a', async () => 1);
    await data.load(queries, query);
    let isSettled = false;
    void data.settled().then(() => {
      isSettled = true;
    });
    // A view inside of others, which is rendered some turns later.
    for (let view = 0; view < 3; view++) {
      for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
      await data.load(queries, query);
    }
    expect(isSettled).toBe(false);
    await data.settled();
  });

  it('are not waited for again by a view that is rendered after them', async () => {
    const [queries, data] = [new QueryClient(), new PageData(500)];
    const query = queryOf('a', async () => 1);
    await data.load(queries, query);
    expect(data.load(queries, query)).toHaveProperty('status', 'fulfilled');
  });

  it('lack a query that is left to the browser', async () => {
    const [queries, data] = [new QueryClient(), new PageData(500)];
    let loads = 0;
    await data.load(queries, { ...queryOf('a', async () => ++loads), meta: { isLate: true } });
    expect([loads, data.takeLoaded(queries)]).toEqual([0, []]);
  });

  it('lack a query that is not enabled', async () => {
    const [queries, data] = [new QueryClient(), new PageData(500)];
    let loads = 0;
    await data.load(queries, { ...queryOf('a', async () => ++loads), enabled: false });
    expect([loads, data.takeLoaded(queries)]).toEqual([0, []]);
  });

  it('are complete when the views that they show have loaded theirs; nothing is loaded afterwards', async () => {
    const [queries, data] = [new QueryClient(), new PageData(500)];
    const inner = queryOf('inner', async () => 'later');
    void data
      .load(
        queries,
        queryOf('outer', async () => 'first'),
      )
      .then(() => data.load(queries, inner));
    await data.settled();
    expect(data.takeLoaded(queries).map((one) => one.data)).toEqual(['first', 'later']);
    await data.load(
      queries,
      queryOf('too late', async () => 'never'),
    );
    expect(data.takeLoaded(queries)).toEqual([]);
  });
});
