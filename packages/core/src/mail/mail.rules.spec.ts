import { MAIL_DEFERRALS_MAX, mailRetryDelayMs } from './mail.rules.js';

describe('mailRetryDelayMs', () => {
  const delays = Array.from({ length: MAIL_DEFERRALS_MAX }, (_, index) => mailRetryDelayMs(index + 1));

  it('starts at a minute, never decreases, and reaches its maximum of six hours', () => {
    const waits = delays.slice(0, -1) as number[];
    expect(waits[0]).toBe(60_000);
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    expect(waits.at(-1)).toBe(6 * 3_600_000);
  });

  it('returns null after about two days of deferrals', () => {
    const hours = (delays.slice(0, -1) as number[]).reduce((sum, delay) => sum + delay, 0) / 3_600_000;
    expect(hours).toBeGreaterThan(36);
    expect(hours).toBeLessThan(72);
    expect(delays.at(-1)).toBeNull();
  });
});
