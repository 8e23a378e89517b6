import type { CcxtClient } from './ccxt-client.js';
import {
  hasPurchaseMark,
  isMarketPurchase,
  purchasePrice,
  withoutPurchaseMark,
  withPurchaseMark,
} from './market-purchases.js';

const clientWith = (price: string | undefined) =>
  ({ market: () => ({ precision: { price } }) }) as unknown as CcxtClient;

describe('a market purchase that is sent as a limit order', () => {
  it.each([
    ['60000', '0.01', '61200'],
    ['60000.01', '0.01', '61200.01'],
    ['0.00001234', '0.00000001', '0.00001258'],
    ['101', '5', '100'],
    ['100', undefined, '102'],
  ])('may buy up to 2 %% above the best offer %s, in steps of %s: %s', (best, tick, price) => {
    const asks = [
      [best, '1'],
      ['70000', '9'],
    ] as const;
    expect(purchasePrice(clientWith(tick), 'BTC/USDT', asks)).toBe(price);
  });

  it('is rejected without an offer', () => {
    expect(() => purchasePrice(clientWith('0.01'), 'BTC/USDT', [])).toThrow(
      expect.objectContaining({ outcome: 'rejected', code: 'would_not_fit_book' }),
    );
  });

  it('has a mark behind its id; sales and limit orders have none', () => {
    const marked = withPurchaseMark('ta1');
    expect([hasPurchaseMark(marked), hasPurchaseMark('ta1'), withoutPurchaseMark(marked)]).toEqual([
      true,
      false,
      'ta1',
    ]);
    expect(isMarketPurchase({ type: 'MARKET', side: 'BUY' })).toBe(true);
    expect(isMarketPurchase({ type: 'MARKET', side: 'SELL' })).toBe(false);
    expect(isMarketPurchase({ type: 'LIMIT', side: 'BUY' })).toBe(false);
  });
});
