import { startOfDay, startOfRange } from './ranges';

const NOW = Date.parse('2026-03-10T15:04:05Z');

describe('startOfRange', () => {
  it('counts the current day', () => {
    expect(startOfRange('7d', NOW)).toBe('2026-03-04T00:00:00.000Z');
    expect(startOfRange('30d', NOW)).toBe('2026-02-09T00:00:00.000Z');
  });

  it('has no start for all time', () => {
    expect(startOfRange('all', NOW)).toBeUndefined();
  });
});

describe('startOfDay', () => {
  it('is midnight in UTC', () => {
    expect(startOfDay(NOW)).toBe('2026-03-10T00:00:00.000Z');
  });
});
