import { periodWords, sumOf } from './rewards.rules';

describe('sumOf', () => {
  it('adds exact decimals of one status', () => {
    const rewards = [
      { status: 'CLAIMABLE', amount: '0.1' },
      { status: 'CLAIMABLE', amount: '0.2' },
      { status: 'PENDING', amount: '5' },
    ];
    expect(sumOf(rewards, 'CLAIMABLE')).toBe('0.3');
    expect(sumOf([], 'CLAIMABLE')).toBe('0');
  });
});

describe('periodWords', () => {
  it('names one period, several, and none', () => {
    expect(periodWords('WEEK')).toBe('Settled weekly');
    expect(periodWords('WEEK|MONTH|QUARTER')).toBe('Settled weekly, monthly or quarterly');
    expect(periodWords(undefined)).toBe('Granted immediately');
  });
});
