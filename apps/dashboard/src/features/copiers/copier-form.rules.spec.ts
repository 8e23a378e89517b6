import { copierCreate, copierUpdate } from '@trading-automation/contracts';
import {
  formFieldOf,
  formMessageOf,
  NEW_COPIER,
  settingsBody,
  updateBody,
  valuesOf,
} from './copier-form.rules';
import { NEW_PAIR } from './pair-settings.rules';

const ACCOUNT = 'exa_01jz3v7q8ef5ft5w8mm7p5a1bc';
const values = { ...NEW_COPIER, name: 'Half size' };

describe('the settings of a copier', () => {
  it('make a body that the contracts accept', () => {
    const body = settingsBody({
      ...values,
      capital: '5000',
      max_open_trades: '3',
      blocked_pairs: 'sol/usdt',
      allowed_sides: 'BUY',
      max_signal_age_s: '1.5',
    });
    expect(body).toMatchObject({
      sizing: { mode: 'EQUITY_RATIO', value: '1', capital: '5000' },
      limits: {
        max_open_trades: 3,
        blocked_pairs: ['SOL/USDT'],
        max_signal_age_ms: 1500,
        max_slippage_bps: 50,
      },
    });
    expect(copierCreate.safeParse({ ...body, exchange_account_id: ACCOUNT }).success).toBe(true);
  });

  it('have a capital only with the mode that uses it', () => {
    expect(settingsBody({ ...values, mode: 'FIXED_QUOTE', capital: '5000' }).sizing).toEqual({
      mode: 'FIXED_QUOTE',
      value: '1',
    });
  });

  it('remove a limit that is empty with an update', () => {
    const body = updateBody({ ...values, max_slippage_bps: '', max_signal_age_s: '' });
    expect(body.limits).toMatchObject({ max_trade_quote: null, max_slippage_bps: null });
    expect(body.limits).not.toHaveProperty('max_signal_age_ms');
    expect(copierUpdate.safeParse(body).success).toBe(true);
  });

  it('leave what is no number for the schema to refuse, at their own fields', () => {
    const body = settingsBody({ ...values, value: 'x', max_open_trades: '1.5', max_signal_age_s: 'soon' });
    const { error } = copierCreate.safeParse({ ...body, exchange_account_id: ACCOUNT });
    const fields = error?.issues.map(({ path }) => formFieldOf(path.join('.'), []));
    expect(fields?.sort()).toEqual(['max_open_trades', 'max_signal_age_s', 'value']);
  });

  it('show problems of lists and of the sizing at their fields', () => {
    expect(formFieldOf('limits.allowed_pairs.0', [])).toBe('allowed_pairs');
    expect(formFieldOf('sizing.capital', [])).toBe('capital');
    expect(formFieldOf('sizing', [])).toBe('value');
    expect(formFieldOf('stats', [])).toBeUndefined();
  });

  it('have a group or a pair on each line, in any letter case', () => {
    const body = settingsBody({
      ...values,
      quote_aliases: 'usd, USDT USDC\n\nEUR, EURC',
      symbol_map: 'btc/usdt = BTC/USDC\n ETH/USDT=ETH/USD \n',
    });
    expect(body).toMatchObject({
      quote_aliases: [
        ['USD', 'USDT', 'USDC'],
        ['EUR', 'EURC'],
      ],
      symbol_map: { 'BTC/USDT': 'BTC/USDC', 'ETH/USDT': 'ETH/USD' },
    });
    expect(copierUpdate.safeParse(body).success).toBe(true);
  });

  it('show a wrong line of them with its pair', () => {
    const body = settingsBody({ ...values, quote_aliases: 'USDT', symbol_map: 'BTC/USDT' });
    const { error } = copierUpdate.safeParse(body);
    const fields = error?.issues.map(({ path }) => formFieldOf(path.join('.'), []));
    expect(new Set(fields)).toEqual(new Set(['quote_aliases', 'symbol_map']));
    expect(formMessageOf({ field: 'symbol_map.BTC/USDT', message: 'Wrong.' })).toBe('BTC/USDT: Wrong.');
    expect(formMessageOf({ field: 'quote_aliases.0', message: 'Wrong.' })).toBe('Wrong.');
  });

  it('survive a round trip', () => {
    const given = {
      ...values,
      max_trade_quote: '900',
      allowed_pairs: 'BTC/USDT, ETH/USDT',
      allowed_sides: 'SELL',
      quote_aliases: 'USD, USDT\nEUR, EURC',
      symbol_map: 'BTC/USDT = BTC/USD\nETH/USDT = ETH/USD',
      overrides: [
        { ...NEW_PAIR, symbol: 'SOL/USDT', mode: 'EQUITY_RATIO', value: '0.5', capital: '900' },
        {
          ...NEW_PAIR,
          symbol: 'ETH/USDT',
          max_open_trades: '2',
          max_signal_age_s: '1.5',
          allowed_sides: 'BOTH',
        },
      ],
    };
    const parsed = copierCreate.parse({ ...settingsBody(given), exchange_account_id: ACCOUNT });
    expect(valuesOf(parsed as unknown as Parameters<typeof valuesOf>[0])).toEqual(given);
  });
});
