import { type SimulatedFill, SimulatedPortfolio } from './simulated-portfolio.js';

type Fill = Partial<SimulatedFill> & Pick<SimulatedFill, 'side' | 'amount' | 'price'>;

/** Books the fills on one perpetual at 0.1 %, and sets the price to that of the last fill. */
function portfolioOf(...fills: Fill[]): SimulatedPortfolio {
  const copies = new SimulatedPortfolio();
  for (const fill of fills) {
    copies.setPrice('BTC/USDT', 'USDT', fill.price);
    copies.fill({
      lotTradeId: 'lot',
      symbol: 'BTC/USDT',
      quote: 'USDT',
      tradingType: 'perpetual',
      isEntry: true,
      feeRate: '0.001',
      amountStep: '0.001',
      ...fill,
    });
  }
  return copies;
}

const short = { side: 'SELL', amount: '2', price: '100' } as const;
const cover = { side: 'BUY', isEntry: false } as const;

describe('a simulated lot on a perpetual', () => {
  it('is short if its entry sells: its result falls with the price, and its fee takes nothing of the amount', () => {
    const copies = portfolioOf(short);
    expect(copies.heldOf('lot').toString()).toBe('2');
    expect(copies.netOfPair('BTC/USDT').toString()).toBe('-2');
    expect(copies.feesOf('USDT').toString()).toBe('0.2');
    copies.setPrice('BTC/USDT', 'USDT', '90');
    expect(copies.valueOfPair('BTC/USDT').toString()).toBe('-180');
    expect(copies.resultOf('USDT').toString()).toBe('19.8');
  });

  it('costs its notional with the fee, as the lots of live copies', () => {
    expect(portfolioOf(short).openCostExcept().toString()).toBe('199.8');
    expect(
      portfolioOf({ ...short, side: 'BUY' })
        .openCostExcept()
        .toString(),
    ).toBe('200.2');
  });

  it('is closed by the other side, oldest entries first', () => {
    const copies = portfolioOf(
      short,
      { ...short, amount: '1', price: '110' },
      { ...cover, amount: '2.5', price: '80' },
    );
    expect(copies.heldOf('lot').toString()).toBe('0.5');
    expect(copies.openLotsExcept('another')).toBe(1);
    const { closed, enteredAmount, enteredValue } = copies.tradedOf('lot');
    expect([enteredAmount.toString(), enteredValue.toString()]).toEqual(['3', '310']);
    expect(closed.amount.toString()).toBe('2.5');
    expect(closed.entryValue.toString()).toBe('255');
    expect(closed.gross.toString()).toBe('55');
    // Less the fees of both sides: 0.255 and 0.2.
    expect(closed.pnl.toString()).toBe('54.545');
    expect(copies.openCostExcept().toString()).toBe('54.945');
  });

  it('keeps a remainder below the amount step, which a spot lot loses', () => {
    const rest = [
      { side: 'BUY', amount: '2', price: '100', feeRate: '0' },
      { side: 'SELL', isEntry: false, amount: '1.9995', price: '100', feeRate: '0' },
    ] as const;
    expect(
      portfolioOf(...rest)
        .heldOf('lot')
        .toString(),
    ).toBe('0.0005');
    const onSpot = rest.map((fill) => ({ ...fill, tradingType: 'spot' as const }));
    expect(
      portfolioOf(...onSpot)
        .heldOf('lot')
        .toString(),
    ).toBe('0');
  });

  it('nets with the other lots of its pair, and a short receives what a long pays', () => {
    const copies = portfolioOf(short, { ...short, side: 'BUY', amount: '0.5', lotTradeId: 'long' });
    expect(copies.netOfPair('BTC/USDT').toString()).toBe('-1.5');
    expect(copies.openLotsExcept('lot')).toBe(1);
    copies.fund('BTC/USDT', 'USDT', '0.01', '200');
    expect(copies.fundingOf('USDT').toString()).toBe('3');
  });
});
