import { openAfterStop, withoutClosing, worthByQuote, worthOfPositions } from './open-after-stop.rules';

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

describe('the lots that no order of a stop closes', () => {
  const open = (symbol: string, side: string, amount: string) => ({ symbol, side, amount });
  const order = open('BTC/USDT:USDT', 'SELL', '0.3');

  it('are those of perpetuals without an order of the other side', () => {
    const left = [open('ETH/USDT:USDT', 'BUY', '2'), open('BTC/USDT:USDT', 'SELL', '0.1')];
    const lots = [open('BTC/USDT', 'BUY', '1'), open('BTC/USDT:USDT', 'BUY', '0.3'), ...left];
    expect(withoutClosing(lots, [order])).toEqual(left);
  });

  it('are the part that the orders are too small for', () => {
    const lots = [open('BTC/USDT:USDT', 'BUY', '1')];
    expect(withoutClosing(lots, [order, { ...order, amount: '0.5' }])).toEqual([
      open('BTC/USDT:USDT', 'BUY', '0.2'),
    ]);
  });
});
