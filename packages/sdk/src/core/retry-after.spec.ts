import { retryAfterMsIn } from './retry-after.js';

const NOW_MS = Date.UTC(2026, 0, 1, 12);

describe('retryAfterMsIn', () => {
  it.each([
    [{}, undefined],
    [{ 'retry-after': '3' }, 3_000],
    [{ 'retry-after': ' 3 ' }, 3_000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '1.5' }, 1_500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 12:00:20 GMT' }, 20_000],
    [{ 'retry-after': 'Thu, 01 Jan 2026 11:59:00 GMT' }, 0],
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after-ms': 'x', 'retry-after': '9' }, 9_000],
    [{ 'retry-after': '-3' }, undefined],
    [{ 'retry-after': 'Infinity' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
  ])('returns the delay of %j as %p ms', (headers, ms) => {
    expect(retryAfterMsIn(new Headers(headers as Record<string, string>), NOW_MS)).toBe(ms);
  });
});
