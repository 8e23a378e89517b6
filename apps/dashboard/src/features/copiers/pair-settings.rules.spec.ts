import { copierUpdate } from '@trading-automation/contracts';
import { problemsOf } from '../../data/form-problems';
import {
  NEW_PAIR,
  overridesBody,
  type PairValues,
  pairFieldOf,
  repeatedPairs,
  settingsCount,
} from './pair-settings.rules';

const pair = (symbol: string, values: Partial<PairValues> = {}): PairValues => ({
  ...NEW_PAIR,
  symbol,
  ...values,
});
/** The fields of the form that show what the contracts refuse. */
const refused = (pairs: readonly PairValues[]) =>
  problemsOf(copierUpdate, { overrides: overridesBody(pairs) }).map(({ field, message }) => [
    pairFieldOf(field, pairs),
    message,
  ]);

describe('the settings of single pairs', () => {
  it('have only what replaces the settings of the copier', () => {
    const body = overridesBody([
      pair(' btc/usdt', { mode: 'FIXED_QUOTE', value: '50', capital: '7' }),
      pair('ETH/USDT', { max_trade_quote: '200', allowed_sides: 'SELL' }),
    ]);
    expect(JSON.parse(JSON.stringify(body))).toEqual({
      'BTC/USDT': { sizing: { mode: 'FIXED_QUOTE', value: '50' } },
      'ETH/USDT': { limits: { max_trade_quote: '200', allowed_sides: ['SELL'] } },
    });
    expect(copierUpdate.safeParse({ overrides: body }).success).toBe(true);
  });

  it('show what is wrong at the field of the pair, also of a pair with a dot', () => {
    const pairs = [
      pair('BRK.B/USD', { max_trade_quote: '0', max_open_trades: 'x', max_signal_age_s: 'soon' }),
      pair('BTC/USDT', { mode: 'FIXED_QUOTE', value: '' }),
    ];
    expect(
      refused(pairs)
        .map(([field]) => field)
        .sort(),
    ).toEqual([
      'overrides.0.max_open_trades',
      'overrides.0.max_signal_age_s',
      'overrides.0.max_trade_quote',
      'overrides.1.value',
    ]);
  });

  it('show a wrong symbol and a pair without settings at the pair', () => {
    expect(refused([pair('BTC', { mode: 'MULTIPLIER', value: '1' }), pair('ETH/USDT')])).toEqual([
      ['overrides.0.symbol', 'Expected the symbol of a trade pair, like BTC/USDT.'],
      ['overrides.1.symbol', 'An override needs sizing or limits. Add one, or remove the override.'],
    ]);
  });

  it('show other problems for all pairs together', () => {
    expect(pairFieldOf('overrides', [])).toBe('overrides');
    expect(pairFieldOf('overrides.SOL/USDT.limits', [pair('BTC/USDT')])).toBe('overrides');
    expect(pairFieldOf('limits.max_trade_quote', [])).toBeUndefined();
  });

  it('have one entry for each pair', () => {
    expect(repeatedPairs([pair('BTC/USDT'), pair('ETH/USDT'), pair('btc/usdt ')])).toEqual([2]);
  });

  it('count a sizing as one setting', () => {
    expect(settingsCount(pair('BTC/USDT', { mode: 'EQUITY_RATIO', value: '1', capital: '5' }))).toBe(1);
    expect(settingsCount(pair('BTC/USDT', { max_open_trades: '1', allowed_sides: 'BOTH' }))).toBe(2);
  });
});
