import { strategyCreate, strategyDelete, strategyUpdate } from './strategies.js';

const minimal = { name: 'Trend', exchange_account_id: 'exa_1' };
const fieldsOf = (schema: typeof strategyCreate | typeof strategyUpdate, body: object) =>
  schema.safeParse(body).error?.issues.map(({ path }) => path.join('.'));

describe('a new strategy', () => {
  it('requires a name and an account, and is private by default', () => {
    expect(strategyCreate.parse(minimal)).toEqual({ ...minimal, visibility: 'PRIVATE' });
  });

  it('accepts a share of at most half of the profit above the high-water mark', () => {
    const share = (rate: unknown) => ({ ...minimal, profit_share: { rate, period: 'MONTH' } });
    expect(strategyCreate.parse(share(0.5)).profit_share).toEqual({
      rate: '0.5',
      basis: 'HIGH_WATER_MARK',
      period: 'MONTH',
    });
    expect(fieldsOf(strategyCreate, share(0.51))).toEqual(['profit_share.rate']);
  });

  it.each([
    ['no name', { name: '' }, 'name'],
    ['U+0000 in its description', { description: 'a\u0000b' }, 'description'],
    ['an empty list of pairs', { trade_pair_ids: [] }, 'trade_pair_ids'],
    ['a capacity of zero', { capacity: 0 }, 'capacity'],
    ['a minimum equity of zero', { min_copy_equity: 0 }, 'min_copy_equity'],
    ['an unknown visibility', { visibility: 'public' }, 'visibility'],
    ['a status', { status: 'ARCHIVED' }, ''],
  ])('is rejected if it has %s', (_case, change, field) => {
    expect(fieldsOf(strategyCreate, { ...minimal, ...change })).toEqual([field]);
  });
});

describe('an update of a strategy', () => {
  it('may be empty, or remove optional fields', () => {
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

  it('cannot change the account or remove required fields', () => {
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
