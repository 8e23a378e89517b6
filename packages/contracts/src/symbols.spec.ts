import { assetsOfSymbol } from './symbols.js';

describe('the assets of a symbol', () => {
  it('are base and quote, and the quote currency settles a pair without a settlement currency', () => {
    expect(assetsOfSymbol('BTC/USDT')).toEqual({ base: 'BTC', quote: 'USDT', settle: 'USDT' });
  });

  it('have a settlement currency of their own for derivatives, also with an expiry', () => {
    expect(assetsOfSymbol('BTC/USD:USDC')).toEqual({ base: 'BTC', quote: 'USD', settle: 'USDC' });
    expect(assetsOfSymbol('BTC/USD:BTC')).toEqual({ base: 'BTC', quote: 'USD', settle: 'BTC' });
    expect(assetsOfSymbol('BTC/USDT:USDT-261225').settle).toBe('USDT');
  });

  it.each(['', 'BTCUSDT', 'BTC/', '/USDT', 'BTC/USDT:'])('cannot be read from "%s"', (symbol) => {
    expect(() => assetsOfSymbol(symbol)).toThrow(RangeError);
  });
});
