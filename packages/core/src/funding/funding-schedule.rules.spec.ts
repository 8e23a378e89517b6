import { fundingIntervalMs, nextReadAt, PLANNED_WITHIN_MS } from './funding-schedule.rules.js';

const HOUR_MS = 3_600_000;
const at = (text: string) => new Date(`2026-06-01T${text}Z`);
const minutesAfter = (instant: Date, since: Date) => (instant.getTime() - since.getTime()) / 60_000;

it('the interval of funding is in whole hours; 8 hours until it is known', () => {
  expect([null, 8 * HOUR_MS - 3, 4 * HOUR_MS + 3, 1].map(fundingIntervalMs)).toEqual(
    [8, 8, 4, 1].map((hours) => hours * HOUR_MS),
  );
});

describe('the next read of funding', () => {
  it('is one to five minutes after the next instant of funding', () => {
    for (const key of ['a', 'b', '0199a3c0-0000-7000-8000-000000000001']) {
      const next = nextReadAt(at('03:00:00'), 8 * HOUR_MS, key);
      expect(minutesAfter(next, at('08:00:00'))).toBeGreaterThanOrEqual(1);
      expect(minutesAfter(next, at('08:00:00'))).toBeLessThan(5);
    }
  });

  it('begins within the time that is planned for it, for every key', () => {
    const delays = Array.from(
      { length: 1_000 },
      (_, i) => nextReadAt(at('03:00:00'), HOUR_MS, `account ${i}`).getTime() - at('03:00:00').getTime(),
    );
    expect(Math.max(...delays)).toBeLessThan(PLANNED_WITHIN_MS);
    expect(Math.max(...delays)).toBeGreaterThan(PLANNED_WITHIN_MS - 60_000);
  });

  it('follows the same instant of funding if the exchange may not list its payments yet', () => {
    const due = nextReadAt(at('07:59:00'), HOUR_MS, 'a');
    expect(minutesAfter(due, at('08:00:00'))).toBeLessThan(5);
    expect(nextReadAt(at('08:00:30'), HOUR_MS, 'a')).toEqual(due);
    expect(nextReadAt(due, HOUR_MS, 'a').getTime() - due.getTime()).toBe(HOUR_MS);
  });

  it('has a place of its own for each key', () => {
    const places = new Set(
      Array.from({ length: 100 }, (_, i) => nextReadAt(at('03:00:00'), HOUR_MS, `account ${i}`).getTime()),
    );
    expect(places.size).toBeGreaterThan(90);
  });
});
