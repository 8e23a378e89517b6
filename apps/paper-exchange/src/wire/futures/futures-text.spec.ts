import { contractOf } from '../../engine/futures/contracts.js';
import { averageText, lotsText, priceText, rateText } from './futures-text.js';

const BTC = contractOf('BTCUSDT');

describe('the numbers of futures on the wire', () => {
  it('have the decimal places of the contract', () => {
    expect([priceText(BTC, 600_001), lotsText(BTC, -1_500), rateText(-10_000)]).toEqual([
      '60000.1',
      '-1.500',
      '-0.00010000',
    ]);
  });

  it('show averages rounded to the nearest last digit, positive for both sides', () => {
    // Two thirds of 0.001 BTC at 1 USDT and one third at 2 USDT.
    expect(averageText(BTC, 400_000n, 3)).toBe('1.33333');
    expect(averageText(BTC, 500_000n, 3)).toBe('1.66667');
    expect(averageText(BTC, -500_000n, -3, 8)).toBe('1.66666667');
    expect(averageText(BTC, 0n, 0)).toBe('0.00000');
  });
});
