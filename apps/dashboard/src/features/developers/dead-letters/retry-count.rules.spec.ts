import { DEAD_LETTERS_RETRIED_MAX } from '@trading-automation/contracts';
import { matchWords, RETRIED_MAX, retryLabel } from './retry-count.rules';

describe('the number of dead letters to retry', () => {
  it('is said before the retry', () => {
    expect([matchWords(37), retryLabel(37)]).toEqual([
      '37 pending dead letters match.',
      'Retry 37 dead letters',
    ]);
    expect([matchWords(1), retryLabel(1)]).toEqual(['1 pending dead letter matches.', 'Retry 1 dead letter']);
    expect(matchWords(0)).toBe('No pending dead letter matches.');
    expect(retryLabel(undefined)).toBe('Retry matching');
  });

  it('is limited by what one request retries', () => {
    expect(RETRIED_MAX).toBe(DEAD_LETTERS_RETRIED_MAX);
    expect(matchWords(12_000)).toMatch(/The oldest 10000 are retried first/);
    expect(retryLabel(12_000)).toBe('Retry 10000 dead letters');
  });
});
