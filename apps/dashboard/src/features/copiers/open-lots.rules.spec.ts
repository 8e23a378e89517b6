import { holdingsOf, positionsWord } from './open-lots.rules';

const lot = (symbol: string, side: string, cost: string, result: string | null) => ({
  symbol,
  side,
  remaining_cost: cost,
  unrealized_pnl: result,
});

describe('the holdings of a copier', () => {
  it('are counted by pair and side, and valued by currency', () => {
    const lots = [
      lot('BTC/USDT', 'BUY', '100', '5'),
      lot('BTC/USDT', 'BUY', '50', null),
      lot('ETH/USDT', 'SELL', '80', '10'),
      lot('ETH/BTC', 'BUY', '0.1', '0.01'),
    ];
    expect(holdingsOf(lots)).toEqual({
      positions: 3,
      lots: 4,
      values: [
        { currency: 'USDT', value: '225' },
        { currency: 'BTC', value: '0.11' },
      ],
    });
  });

  it('are empty without lots', () => {
    expect(holdingsOf([])).toEqual({ positions: 0, lots: 0, values: [] });
    expect([positionsWord(1), positionsWord(2)]).toEqual(['1 position', '2 positions']);
  });
});
