import { copierCreate, copierStop, copierUpdate } from './copiers.js';

const minimal = {
  name: 'Follower',
  exchange_account_id: 'exa_1',
  sizing: { mode: 'MULTIPLIER', value: 0.5 },
};
const fieldsOf = (schema: typeof copierCreate | typeof copierUpdate, body: object) =>
  schema.safeParse(body).error?.issues.map(({ path }) => path.join('.'));

describe('a new copier', () => {
  it('requires a name, an account and a sizing, and has conservative defaults', () => {
    expect(copierCreate.parse(minimal)).toEqual({
      ...minimal,
      sizing: { mode: 'MULTIPLIER', value: '0.5' },
      limits: { max_signal_age_ms: 60_000 },
      on_breach: 'CLOSE_ONLY',
      below_minimum: 'ACCUMULATE',
      copy_existing: false,
    });
  });

  it('accepts symbols of spot pairs and of perpetuals', () => {
    const limits = { allowed_pairs: ['BTC/USDT', 'ETH/USDT:USDT'] };
    expect(copierCreate.parse({ ...minimal, limits }).limits).toMatchObject(limits);
  });

  it.each([
    ['a size of zero', { sizing: { mode: 'FIXED_QUOTE', value: 0 } }, 'sizing.value'],
    [
      'capital with a sizing other than EQUITY_RATIO',
      { sizing: { mode: 'MULTIPLIER', value: 1, capital: 5 } },
      'sizing.capital',
    ],
    [
      'slippage of more than the whole price',
      { limits: { max_slippage_bps: 10_001 } },
      'limits.max_slippage_bps',
    ],
    ['negative slippage', { limits: { max_slippage_bps: -1 } }, 'limits.max_slippage_bps'],
    ['a drawdown over 100 percent', { limits: { max_drawdown_percent: 101 } }, 'limits.max_drawdown_percent'],
    ['a limit of zero', { limits: { max_trade_quote: 0 } }, 'limits.max_trade_quote'],
    ['an empty list of allowed pairs', { limits: { allowed_pairs: [] } }, 'limits.allowed_pairs'],
    ['an invalid symbol', { limits: { blocked_pairs: ['BTCUSDT'] } }, 'limits.blocked_pairs.0'],
    ['an unknown limit', { limits: { max_luck: 1 } }, 'limits'],
    ['a status', { status: 'ACTIVE' }, ''],
  ])('rejects %s', (_case, change, field) => {
    expect(fieldsOf(copierCreate, { ...minimal, ...change })).toEqual([field]);
  });
});

describe('an update of a copier', () => {
  it('has no defaults, so omitted fields keep their value', () => {
    expect(copierUpdate.parse({ limits: {} })).toEqual({ limits: {} });
  });

  it('can remove single limits and the strategy, but not the signal age, the sizing or the account', () => {
    const cleared = { strategy_id: null, limits: { max_trade_quote: null, allowed_pairs: null } };
    expect(copierUpdate.parse(cleared)).toEqual(cleared);
    expect(fieldsOf(copierUpdate, { limits: { max_signal_age_ms: null } })).toEqual([
      'limits.max_signal_age_ms',
    ]);
    expect(fieldsOf(copierUpdate, { sizing: null })).toEqual(['sizing']);
    expect(fieldsOf(copierUpdate, { exchange_account_id: 'exa_2' })).toEqual(['']);
  });
});

describe('a request to stop a copier', () => {
  it('pauses by default', () => {
    expect(copierStop.parse({})).toEqual({ mode: 'PAUSED' });
    expect(copierStop.safeParse({ mode: 'ACTIVE' }).success).toBe(false);
  });
});
