import { openAfterStop, worthByQuote, worthOfPositions } from './open-after-stop.rules';

const lot = (symbol: string, remaining_cost: string, unrealized_pnl: string | null = null, side = 'BUY') => ({
  symbol,
  side,
  remaining_cost,
  unrealized_pnl,
});
const lots = [lot('BTC/USDT', '100', '5'), lot('BTC/USDT:USDT', '300', '-20'), lot('ETH/EUR', '7')];

const short = lot('BTC/USDT:USDT', '300', '-20', 'SELL');

describe('what stays open after an emergency stop', () => {
  it('is every lot, or the lots of other markets than perpetuals', () => {
    expect(openAfterStop(lots, false)).toEqual(lots);
    expect(openAfterStop(lots, true).map(({ symbol }) => symbol)).toEqual(['BTC/USDT', 'ETH/EUR']);
  });

  it('is worth its cost and its open result, by quote currency', () => {
    expect(worthByQuote(lots)).toEqual([
      { asset: 'USDT', value: '385' },
      { asset: 'EUR', value: '7' },
    ]);
    // A short that lost 20 costs more to buy back.
    expect(worthByQuote([short])).toEqual([{ asset: 'USDT', value: '320' }]);
  });
});

it('a position is worth its amount at the mark price, or at the entry price without one', () => {
  const position = { symbol: 'BTC/USDT:USDT', amount: '0.4', entry_price: '50000', mark_price: null };
  expect(worthOfPositions([position, { ...position, mark_price: '60000' }])).toEqual([
    { asset: 'USDT', value: '44000' },
  ]);
});
