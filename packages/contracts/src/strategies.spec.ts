import { strategyCreate, strategyDelete, strategyUpdate } from './strategies.js';

const given = { name: 'Trend', exchange_account_id: 'exa_1' };
const fieldsOf = (schema: typeof strategyCreate | typeof strategyUpdate, body: object) =>
  schema.safeParse(body).error?.issues.map(({ path }) => path.join('.'));

describe('a new strategy', () => {
  it('requires a name and an account, and is private by default', () => {
    expect(strategyCreate.parse(given)).toEqual({ ...given, visibility: 'PRIVATE' });
  });

  it('accepts a profit share above the high-water mark of at most half', () => {
    const share = (rate: unknown) => ({ ...given, profit_share: { rate, period: 'MONTH' } });
    expect(strategyCreate.parse(share(0.5)).profit_share).toEqual({
      rate: '0.5',
      basis: 'HIGH_WATER_MARK',
      period: 'MONTH',
    });
    expect(fieldsOf(strategyCreate, share(0.51))).toEqual(['profit_share.rate']);
  });

  it.each([
    ['no name', { name: '' }, 'name'],
    ['a NUL in its text', { description: 'a\u0000b' }, 'description'],
    ['pairs that are none', { trade_pair_ids: [] }, 'trade_pair_ids'],
    ['a capacity of none', { capacity: 0 }, 'capacity'],
    ['an equity of nothing', { min_copy_equity: 0 }, 'min_copy_equity'],
    ['an unknown visibility', { visibility: 'public' }, 'visibility'],
    ['a status', { status: 'ARCHIVED' }, ''],
  ])('is refused with %s', (_case, change, field) => {
    expect(fieldsOf(strategyCreate, { ...given, ...change })).toEqual([field]);
  });
});

describe('a change of a strategy', () => {
  it('may be empty, or clear optional fields', () => {
    expect(strategyUpdate.parse({})).toEqual({});
    const cleared = {
      description: null,
      trade_pair_ids: null,
      profit_share: null,
      min_copy_equity: null,
      capacity: null,
    };
    expect(strategyUpdate.parse(cleared)).toEqual(cleared);
  });

  it('cannot change the account or clear required fields', () => {
    expect(fieldsOf(strategyUpdate, { exchange_account_id: 'exa_2' })).toEqual(['']);
    for (const field of ['name', 'visibility', 'status']) {
      expect(fieldsOf(strategyUpdate, { [field]: null })).toEqual([field]);
    }
  });
});

describe('the deletion of a strategy', () => {
  it('stops copiers only on request', () => {
    expect(strategyDelete.parse({})).toEqual({ stop_copiers: false });
  });
});
