import type { Copier } from '@trading-automation/sdk';
import { limitLines, pairLines } from './copier-words';

type Settings = Parameters<typeof pairLines>[0];
const copier = (settings: Partial<Copier<'string'>>) =>
  ({ quote_aliases: [], symbol_map: {}, overrides: {}, ...settings }) as Settings;

describe('the settings of a copier for other exchanges and single pairs', () => {
  it('have no lines if there are none', () => {
    expect(pairLines(copier({}))).toEqual([]);
  });

  it('have a line for each group, one for the map and one for each override', () => {
    const lines = pairLines(
      copier({
        quote_aliases: [['USD', 'USDT']],
        symbol_map: { 'BTC/USDT': 'BTC/USD', 'ETH/USDT': 'ETH/USD' },
        overrides: {
          'SOL/USDT': { sizing: { mode: 'MULTIPLIER', value: '0.5' }, limits: { max_slippage_bps: 20 } },
          'XRP/USDT': { limits: { max_trade_quote: '1000' } },
        },
      }),
      'en-US',
    );
    expect(lines).toEqual([
      { name: 'Count as the same', value: 'USD, USDT' },
      { name: 'Copied on another pair', value: 'BTC/USDT as BTC/USD, ETH/USDT as ETH/USD' },
      {
        name: 'Only for SOL/USDT',
        value: '0.50 × the amount of the strategy; Slippage of an entry: at most 20\u2009bps',
      },
      { name: 'Only for XRP/USDT', value: 'One entry costs at most: 1,000.00 in quote currency' },
    ]);
  });
});

describe('the limits of a copier', () => {
  it('always have a slippage and an age', () => {
    expect(limitLines({ max_signal_age_ms: 60_000 }, 'en-US').map(({ name }) => name)).toEqual([
      'Slippage of an entry',
      'Age of a signal to enter',
    ]);
  });
});
