import { amountProblem, netOf } from './amount.rules';

const TERMS = { available: '100.5', currency: 'TOK', fee: '0.5' };

describe('amountProblem', () => {
  it('accepts amounts above the fee, up to the whole balance', () => {
    for (const amount of ['0.500000000000000001', '12', '100.5'])
      expect(amountProblem(amount, TERMS)).toBeUndefined();
  });

  it.each([
    ['', 'Enter the amount'],
    ['1,5', 'with a point'],
    ['1e3', 'with a point'],
    ['0.0000000000000000001', 'at most 18 decimals'],
    ['0.0', 'greater than zero'],
    ['0.5', 'above the fee of 0.5 TOK; got 0.5'],
    ['100.500000000000000001', 'available balance is 100.5 TOK'],
  ])('says what is wrong with %p', (amount, problem) => {
    expect(amountProblem(amount, TERMS)).toContain(problem);
  });

  it('leaves an unknown fee to the API', () => {
    expect(amountProblem('0.1', { available: '1', currency: 'TOK' })).toBeUndefined();
  });
});

describe('netOf', () => {
  it('is exact, and unknown without a fee', () => {
    expect(netOf('1.000000000000000001', '0.5')).toBe('0.500000000000000001');
    expect(netOf('0.5', '0.5')).toBeUndefined();
    expect(netOf('1', undefined)).toBeUndefined();
  });
});
