import type { DeadLetter, Delivery } from '@trading-automation/sdk';
import { isAbandoned, lastAttemptOf } from './last-attempt.rules';

const attempt = (run: number, number: number) => ({ run, attempt: number }) as Delivery;

describe('the answer of the receiver to an abandoned delivery', () => {
  it('is asked for if the webhook was deactivated after an attempt', () => {
    const letter = { last_error_reason: 'webhook_inactive', attempts: 2 } as DeadLetter;
    expect(isAbandoned(letter)).toBe(true);
    expect(isAbandoned({ ...letter, attempts: 0 })).toBe(false);
    expect(isAbandoned({ ...letter, last_error_reason: 'http_status' })).toBe(false);
  });

  it('is that of the last attempt of the same run', () => {
    const attempts = [attempt(1, 3), attempt(0, 1), attempt(0, 2)];
    expect(lastAttemptOf({ run: 0 }, attempts)).toEqual({ run: 0, attempt: 2 });
    expect(lastAttemptOf({ run: 2 }, attempts)).toBeUndefined();
  });
});
