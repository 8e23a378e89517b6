import { filledShare } from './filled-share';

describe('the filled share of an order', () => {
  it.each([
    ['0', '1', 0],
    ['0.5', '1', 50],
    ['0.999999999999999999', '1', 99],
    ['1', '1', 100],
    ['0.299', '1', 29],
  ])('of %s filled of %s is %d percent', (filled, amount, percent) => {
    expect(filledShare(filled, amount)).toBe(percent);
  });
});
