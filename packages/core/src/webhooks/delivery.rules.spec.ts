import fc from 'fast-check';
import {
  ATTEMPTS_MAX,
  afterFailure,
  DELIVERY_LIMITS,
  laneAfter,
  RETRY_DELAYS_MS,
  retryDelayMs,
} from './delivery.rules.js';

const FRESH = { isActive: true, isDeleted: false, consecutiveFailures: 0, consecutiveDeadLetters: 0 };

describe('the delay before the next attempt', () => {
  it('is never shorter than the published delay, and at most a tenth longer for delays of 30 s or more', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, random) => {
          const published = [5_000, 30_000, 120_000, 600_000][attempt - 1]!;
          const delayMs = retryDelayMs(RETRY_DELAYS_MS, attempt, random);
          expect(delayMs).toBeGreaterThanOrEqual(published);
          expect(delayMs).toBeLessThanOrEqual(attempt === 1 ? published : published * 1.1);
        },
      ),
    );
  });

  it('does not exist after the fifth attempt: the function throws', () => {
    expect(() => retryDelayMs(RETRY_DELAYS_MS, ATTEMPTS_MAX, 0)).toThrow(
      new RangeError('no attempt follows attempt 5'),
    );
  });

  it.each([
    [1, 5_000],
    [2, 31_500],
    [3, 126_000],
    [4, 630_000],
  ])('after attempt %p with the random number 0.5 is %p ms', (attempt, delayMs) => {
    expect(retryDelayMs(RETRY_DELAYS_MS, attempt, 0.5)).toBe(delayMs);
  });
});

describe('a failed attempt', () => {
  it('is followed by another attempt, but the delivery becomes a dead letter after the fifth', () => {
    const outcomes = [1, 2, 3, 4, 5].map((attempt) => afterFailure(attempt, FRESH).delivery);
    expect(outcomes).toEqual(['DUE', 'DUE', 'DUE', 'DUE', 'DEAD']);
  });

  it('does not deactivate the webhook if ten first attempts failed in a row, without a dead letter', () => {
    const outcome = afterFailure(1, { ...FRESH, consecutiveFailures: 9 });
    expect(outcome).toMatchObject({ deactivates: false, consecutiveFailures: 10, delivery: 'DUE' });
  });

  it('deactivates the webhook if it is the tenth in a row and one of the ten ended in a dead letter', () => {
    expect(afterFailure(5, { ...FRESH, consecutiveFailures: 9 })).toMatchObject({
      deactivates: true,
      delivery: 'DEAD',
      isExhausted: true,
    });
    const third = afterFailure(3, { ...FRESH, consecutiveFailures: 9, consecutiveDeadLetters: 1 });
    expect(third).toMatchObject({ deactivates: true, delivery: 'DEAD', isExhausted: false });
    expect(afterFailure(5, { ...FRESH, consecutiveFailures: 8, consecutiveDeadLetters: 1 }).deactivates).toBe(
      false,
    );
  });

  it('makes the delivery a dead letter if its webhook is inactive, and discards it if its webhook is deleted', () => {
    expect(afterFailure(1, { ...FRESH, isActive: false })).toMatchObject({
      delivery: 'DEAD',
      deactivates: false,
    });
    expect(afterFailure(1, { ...FRESH, isActive: false, isDeleted: true }).delivery).toBe('DISCARDED');
  });

  it('counts failures, and dead letters among them', () => {
    const state = { ...FRESH, consecutiveFailures: 2, consecutiveDeadLetters: 1 };
    expect(afterFailure(4, state)).toEqual({
      delivery: 'DUE',
      isExhausted: false,
      consecutiveFailures: 3,
      consecutiveDeadLetters: 1,
      deactivates: false,
    });
    expect(afterFailure(5, state)).toEqual({
      delivery: 'DEAD',
      isExhausted: true,
      consecutiveFailures: 3,
      consecutiveDeadLetters: 2,
      deactivates: false,
    });
  });

  it('never deactivates a webhook that is inactive or deleted', () => {
    const failing = { ...FRESH, consecutiveFailures: 20, consecutiveDeadLetters: 3 };
    expect(afterFailure(1, failing).deactivates).toBe(true);
    expect(afterFailure(1, { ...failing, isActive: false })).toMatchObject({
      deactivates: false,
      delivery: 'DEAD',
    });
    expect(afterFailure(1, { ...failing, isDeleted: true })).toMatchObject({
      deactivates: false,
      delivery: 'DISCARDED',
    });
  });
});

it('a webhook is served by the slow lane from its third failure in a row', () => {
  expect([0, 2, 3, 4].map(laneAfter)).toEqual(['main', 'main', 'slow', 'slow']);
});

it('the limits of attempts in flight are the documented ones', () => {
  expect(DELIVERY_LIMITS).toEqual({ perWebhookMax: 4, perUserMax: 16, heartbeatTimeoutMs: 8_000 });
});
