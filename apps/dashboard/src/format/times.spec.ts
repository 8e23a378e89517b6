import { formatDuration, formatExact, formatRelative, formatTime } from './times';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const STYLE = { locale: 'en-GB', timeZone: 'UTC' };

describe('a time', () => {
  it.each([
    ['2026-03-01T11:59:55Z', 'just now'],
    ['2026-03-01T11:58:00Z', '2 min ago'],
    ['2026-03-01T09:00:00Z', '3 hr ago'],
    ['2026-02-27T12:00:00Z', '2 days ago'],
    ['2026-03-01T12:10:00Z', 'in 10 min'],
    ['2026-03-08T11:59:40Z', 'in 7 days'],
    ['2026-02-22T12:00:20Z', '6 days ago'],
    ['2025-12-24T12:00:00Z', '24 Dec 2025'],
  ])('%s is %s', (at, text) => {
    expect(formatRelative(at, NOW, STYLE)).toBe(text);
  });

  it('is exact in the time zone of the reader', () => {
    const at = '2026-03-01T11:59:55Z';
    expect(formatExact(at, STYLE)).toBe('1 Mar 2026, 11:59:55 UTC');
    expect(formatTime(at, { ...STYLE, timeZone: 'Asia/Tokyo' })).toBe('01 Mar, 20:59:55');
  });
});

describe('a duration', () => {
  it.each([
    [340, '340\u202fms'],
    [2_400, '2.4\u202fs'],
    [180_000, '3\u202fmin'],
    [7_200_000, '2\u202fh'],
  ])('of %d ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
