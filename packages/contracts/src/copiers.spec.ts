import { copierCreate, copierStop, copierUpdate } from './copiers.js';

const minimal = {
  name: 'Follower',
  exchange_account_id: 'exa_1',
  sizing: { mode: 'MULTIPLIER', value: 0.5 },
};
const fieldsOf = (schema: typeof copierCreate | typeof copierUpdate, body: object) =>
  schema.safeParse(body).error?.issues.map(({ path }) => path.join('.'));

const pairsOfCurrencies = (count: number) =>
  Array.from({ length: count }, (_, index) => [`A${index}`, `B${index}`]);
const entries = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`A${index}/USDT`, value]));

describe('a new copier', () => {
  it('requires a name, an account and a sizing, and has conservative defaults', () => {
    expect(copierCreate.parse(minimal)).toEqual({
      ...minimal,
      sizing: { mode: 'MULTIPLIER', value: '0.5' },
      limits: { max_signal_age_ms: 60_000 },
      quote_aliases: [],
      symbol_map: {},
      overrides: {},
      on_breach: 'CLOSE_ONLY',
      below_minimum: 'ACCUMULATE',
      copy_existing: false,
    });
  });

  it('accepts settings for other exchanges and for single pairs', () => {
    const settings = {
      quote_aliases: [
        ['USD', 'USDT', 'USDC'],
        ['EUR', 'EURC'],
      ],
      symbol_map: { 'XBT/USDT': 'BTC/USDC', 'XBT/USDT:USDT': 'BTC/USDC:USDC' },
      overrides: {
        'BTC/USDT': { sizing: { mode: 'FIXED_QUOTE', value: '50' }, limits: { max_slippage_bps: 10 } },
        'ETH/USDT': { limits: { max_trade_quote: '20' } },
      },
    };
    expect(copierCreate.parse({ ...minimal, ...settings })).toMatchObject(settings);
    expect(copierUpdate.parse(settings)).toEqual(settings);
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
    ['a group of one currency', { quote_aliases: [['USDT']] }, 'quote_aliases.0'],
    [
      'a currency in two groups',
      {
        quote_aliases: [
          ['USD', 'USDT'],
          ['EUR', 'USDT'],
        ],
      },
      'quote_aliases.1.1',
    ],
    ['a currency twice in a group', { quote_aliases: [['USDT', 'USDC', 'USDT']] }, 'quote_aliases.0.2'],
    ['an alias that is a symbol', { quote_aliases: [['USDT', 'BTC/USDC']] }, 'quote_aliases.0.1'],
    ['too many groups', { quote_aliases: pairsOfCurrencies(11) }, 'quote_aliases'],
    [
      'a map from spot to a perpetual',
      { symbol_map: { 'BTC/USDT': 'BTC/USDT:USDT' } },
      'symbol_map.BTC/USDT',
    ],
    [
      'a map from a perpetual to spot',
      { symbol_map: { 'BTC/USDT:USDT': 'BTC/USDT' } },
      'symbol_map.BTC/USDT:USDT',
    ],
    ['a map from an invalid symbol', { symbol_map: { BTCUSDT: 'BTC/USDT' } }, 'symbol_map.BTCUSDT'],
    ['a map to an invalid symbol', { symbol_map: { 'BTC/USDT': 'BTCUSDT' } }, 'symbol_map.BTC/USDT'],
    ['too many entries', { symbol_map: entries(201, 'A/USDT') }, 'symbol_map'],
    ['an override of nothing', { overrides: { 'BTC/USDT': {} } }, 'overrides.BTC/USDT'],
    [
      'an override with an incomplete sizing',
      { overrides: { 'BTC/USDT': { sizing: { value: 2 } } } },
      'overrides.BTC/USDT.sizing.mode',
    ],
    [
      'an override with a limit of zero',
      { overrides: { 'BTC/USDT': { limits: { max_trade_quote: 0 } } } },
      'overrides.BTC/USDT.limits.max_trade_quote',
    ],
    [
      'an override with a list of pairs',
      { overrides: { 'BTC/USDT': { limits: { allowed_pairs: ['BTC/USDT'] } } } },
      'overrides.BTC/USDT.limits',
    ],
    ['too many overrides', { overrides: entries(101, { limits: { max_open_trades: 1 } }) }, 'overrides'],
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
