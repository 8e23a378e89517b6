import { copierCreate, copierStop, copierUpdate } from './copiers.js';

const given = {
  name: 'Follower',
  exchange_account_id: 'exa_1',
  sizing: { mode: 'MULTIPLIER', value: 0.5 },
};
const fieldsOf = (schema: typeof copierCreate | typeof copierUpdate, body: object) =>
  schema.safeParse(body).error?.issues.map(({ path }) => path.join('.'));

describe('a new copier', () => {
  it('needs a name, an account and a size, and has careful defaults', () => {
    expect(copierCreate.parse(given)).toEqual({
      ...given,
      sizing: { mode: 'MULTIPLIER', value: '0.5' },
      limits: { max_signal_age_ms: 60_000 },
      on_breach: 'CLOSE_ONLY',
      below_minimum: 'ACCUMULATE',
      copy_existing: false,
    });
  });

  it('takes symbols of spot pairs and of perpetuals', () => {
    const limits = { allowed_pairs: ['BTC/USDT', 'ETH/USDT:USDT'] };
    expect(copierCreate.parse({ ...given, limits }).limits).toMatchObject(limits);
  });

  it.each([
    ['a size of nothing', { sizing: { mode: 'FIXED_QUOTE', value: 0 } }, 'sizing.value'],
    ['capital without a ratio', { sizing: { mode: 'MULTIPLIER', value: 1, capital: 5 } }, 'sizing.capital'],
    ['slippage over the whole price', { limits: { max_slippage_bps: 10_001 } }, 'limits.max_slippage_bps'],
    ['negative slippage', { limits: { max_slippage_bps: -1 } }, 'limits.max_slippage_bps'],
    ['a drawdown over everything', { limits: { max_drawdown_percent: 101 } }, 'limits.max_drawdown_percent'],
    ['a limit of nothing', { limits: { max_trade_quote: 0 } }, 'limits.max_trade_quote'],
    ['no pair allowed', { limits: { allowed_pairs: [] } }, 'limits.allowed_pairs'],
    ['a pair that is none', { limits: { blocked_pairs: ['BTCUSDT'] } }, 'limits.blocked_pairs.0'],
    ['an unknown limit', { limits: { max_luck: 1 } }, 'limits'],
    ['a status', { status: 'ACTIVE' }, ''],
  ])('is refused with %s', (_case, change, field) => {
    expect(fieldsOf(copierCreate, { ...given, ...change })).toEqual([field]);
  });
});

describe('a change of a copier', () => {
  it('has no defaults: what is not given stays', () => {
    expect(copierUpdate.parse({ limits: {} })).toEqual({ limits: {} });
  });

  it('clears single limits and the strategy, never the age of signals or the size', () => {
    const cleared = { strategy_id: null, limits: { max_trade_quote: null, allowed_pairs: null } };
    expect(copierUpdate.parse(cleared)).toEqual(cleared);
    expect(fieldsOf(copierUpdate, { limits: { max_signal_age_ms: null } })).toEqual([
      'limits.max_signal_age_ms',
    ]);
    expect(fieldsOf(copierUpdate, { sizing: null })).toEqual(['sizing']);
    expect(fieldsOf(copierUpdate, { exchange_account_id: 'exa_2' })).toEqual(['']);
  });
});

describe('the stop of a copier', () => {
  it('pauses it unless told otherwise', () => {
    expect(copierStop.parse({})).toEqual({ mode: 'PAUSED' });
    expect(copierStop.safeParse({ mode: 'ACTIVE' }).success).toBe(false);
  });
});
