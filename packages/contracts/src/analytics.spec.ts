import { analyticsOperations } from './analytics.js';

const check = (query: Record<string, string>) => analyticsOperations.get.query.safeParse(query);

describe('the query of analytics', () => {
  it.each([
    [{ from: '2026-01-02T00:00:00Z', to: '2026-01-02T00:00:00Z' }, 'to'],
    [{ from: '2026-01-02T00:00:00Z', to: '2026-01-02T00:30:00+01:00' }, 'to'],
    [{ from: 'yesterday' }, 'from'],
    [{ from: '2026-01-02T00:00:00' }, 'from'],
    [{ interval: 'hour' }, 'interval'],
  ])('rejects %j and names the parameter', (query, field) => {
    expect(check(query).error?.issues.map(({ path }) => path)).toEqual([[field]]);
  });

  it('rejects unknown parameters, including those of lists', () => {
    expect(check({ limit: '1' }).error?.issues).toMatchObject([
      { code: 'unrecognized_keys', keys: ['limit'] },
    ]);
  });

  it('defaults to no filter and days, and accepts instants with any offset', () => {
    expect(check({}).data).toEqual({ interval: 'day' });
    const range = { from: '2026-01-02T00:00:00+02:00', to: '2026-01-02T00:00:00Z', interval: 'week' };
    expect(check(range).data).toEqual(range);
  });
});
