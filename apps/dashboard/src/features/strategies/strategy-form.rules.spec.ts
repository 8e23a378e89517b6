import { strategyCreate, strategyUpdate } from '@trading-automation/contracts';
import {
  createBody,
  EMPTY_STRATEGY,
  formFieldOf,
  unknownSymbols,
  updateBody,
  valuesOf,
} from './strategy-form.rules';

const PAIRS = [
  { id: 'tpr_01jz3v7q8ef5ft5w8mm7p5a1bc', symbol: 'BTC/USDT' },
  { id: 'tpr_01jz3v7q8ef5ft5w8mm7p5a1bd', symbol: 'ETH/USDT' },
];
const ACCOUNT = 'exa_01jz3v7q8ef5ft5w8mm7p5a1bc';
const values = { ...EMPTY_STRATEGY, name: ' Momentum ', exchange_account_id: ACCOUNT };

describe('the form of a strategy', () => {
  it('makes a body that the contracts accept', () => {
    const body = createBody(
      { ...values, symbols: 'btc/usdt', hasShare: true, sharePercent: '12.5', capacity: '20' },
      PAIRS,
    );
    expect(body).toMatchObject({
      name: 'Momentum',
      trade_pair_ids: [PAIRS[0]?.id],
      profit_share: { rate: '0.125', period: 'MONTH' },
      capacity: 20,
    });
    expect(strategyCreate.safeParse(body).success).toBe(true);
  });

  it('removes what is empty with an update', () => {
    const body = updateBody(values, PAIRS);
    expect(body).toMatchObject({
      description: null,
      trade_pair_ids: null,
      profit_share: null,
      capacity: null,
    });
    expect(body).not.toHaveProperty('exchange_account_id');
    expect(strategyUpdate.safeParse(body).success).toBe(true);
  });

  it('leaves what is no number for the schema to refuse', () => {
    const body = createBody({ ...values, hasShare: true, sharePercent: 'ten', capacity: 'many' }, PAIRS);
    const { error } = strategyCreate.safeParse(body);
    expect(error?.issues.map(({ path }) => path.join('.')).sort()).toEqual(['capacity', 'profit_share.rate']);
  });

  it('names the symbols that are no pair', () => {
    expect(unknownSymbols('BTC/USDT, XRP/USDT', PAIRS)).toEqual(['XRP/USDT']);
  });

  it('shows problems of the API at its own fields', () => {
    expect(formFieldOf('profit_share.rate')).toBe('sharePercent');
    expect(formFieldOf('trade_pair_ids.0')).toBe('symbols');
    expect(formFieldOf('name')).toBe('name');
    expect(formFieldOf('performance')).toBeUndefined();
  });

  it('shows the values of a strategy', () => {
    const strategy = {
      name: 'Momentum',
      visibility: 'PUBLIC',
      trade_pair_ids: [PAIRS[1]?.id],
      profit_share: { rate: '0.2', basis: 'HIGH_WATER_MARK', period: 'WEEK' },
      allow_multiplier: true,
    } as unknown as Parameters<typeof valuesOf>[0];
    expect(valuesOf(strategy, PAIRS)).toMatchObject({
      symbols: 'ETH/USDT',
      hasShare: true,
      sharePercent: '20',
      sharePeriod: 'WEEK',
      capacity: '',
      allow_multiplier: true,
    });
  });
});
