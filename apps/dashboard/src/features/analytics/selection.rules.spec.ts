import { queryOf, type Selection } from './selection.rules';

const NOW = Date.parse('2026-03-10T15:00:00Z');
const selection: Selection = {
  range: 'all',
  from: null,
  to: null,
  exchange_account_id: null,
  strategy_id: null,
  trade_pair_id: null,
};

describe('queryOf', () => {
  it('selects everything by default', () => {
    expect(queryOf(selection, NOW)).toEqual({ query: {} });
  });

  it('passes on what is chosen', () => {
    expect(queryOf({ ...selection, range: '7d', strategy_id: 'str_1' }, NOW)).toEqual({
      query: { from: '2026-03-04T00:00:00.000Z', strategy_id: 'str_1' },
    });
  });

  it('includes the last day of a custom range', () => {
    const custom = { ...selection, range: 'custom', from: '2026-03-01', to: '2026-03-01' } as const;
    expect(queryOf(custom, NOW)).toEqual({
      query: { from: '2026-03-01T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z' },
    });
  });

  it('rejects a range that ends before it begins', () => {
    const custom = { ...selection, range: 'custom', from: '2026-03-02', to: '2026-03-01' } as const;
    expect(queryOf(custom, NOW).error).toMatch('must not be before');
  });

  it('ignores a day that does not exist', () => {
    const custom = { ...selection, range: 'custom', from: '2026-13-40', to: 'soon' } as const;
    expect(queryOf(custom, NOW)).toEqual({ query: {} });
  });
});
