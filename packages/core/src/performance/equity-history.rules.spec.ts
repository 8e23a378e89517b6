import { EquityHistory } from './equity-history.rules.js';

const DAY_MS = 86_400_000;
const T0 = Date.UTC(2026, 0, 1);
const point = (accountId: string, day: number, amount: string) => ({
  accountId,
  takenAt: new Date(T0 + day * DAY_MS),
  amount,
});
const day = (n: number) => T0 + n * DAY_MS;

describe('recorded equity', () => {
  it('is the sum of the last amounts of all accounts before the instant', () => {
    const history = new EquityHistory(
      new Map([
        ['a', day(0)],
        ['b', day(0)],
      ]),
      [point('a', 0.5, '100'), point('b', 0.5, '10'), point('a', 1.5, '120')],
    );
    expect(history.latestBefore(day(1))?.toString()).toBe('110');
    expect(history.latestBefore(day(1.5))?.toString()).toBe('110');
    expect(history.latestBefore(day(2))?.toString()).toBe('130');
  });

  it('is unknown if an account has traded but has no record; an account that has not traded yet needs none', () => {
    const points = [point('a', 0.5, '100'), point('b', 2.5, '10')];
    const late = new EquityHistory(
      new Map([
        ['a', day(0)],
        ['b', day(2)],
      ]),
      points,
    );
    expect(late.latestBefore(day(1))?.toString()).toBe('100');
    const unknown = new EquityHistory(
      new Map([
        ['a', day(0)],
        ['b', day(0)],
      ]),
      points,
    );
    expect(unknown.latestBefore(day(1))).toBeNull();
    expect(new EquityHistory(new Map(), points).latestBefore(day(3))).toBeNull();
    expect(new EquityHistory(new Map([['c', day(0)]]), points).latestBefore(day(3))).toBeNull();
  });

  it('counts a wallet that several accounts share once, with the last amount of any of them', () => {
    const history = new EquityHistory(
      new Map([
        ['a', day(1)],
        ['b', day(0)],
        ['c', day(0)],
      ]),
      [point('c', 0.1, '7'), point('a', 0.5, '100'), point('b', 0.5, '100'), point('b', 1.5, '120')],
      new Map([
        ['a', 'a'],
        ['b', 'a'],
      ]),
    );
    expect(history.latestBefore(day(0.3))).toBeNull();
    expect(history.latestBefore(day(1))?.toString()).toBe('107');
    expect(history.latestBefore(day(2))?.toString()).toBe('127');
  });

  it('at the start of the first day is the first amount recorded on that day', () => {
    const history = new EquityHistory(new Map([['a', day(1)]]), [
      point('a', 1.2, '100'),
      point('a', 1.9, '150'),
      point('a', 2.9, '170'),
    ]);
    expect(history.atStartOfDay(day(1))?.toString()).toBe('100');
    expect(history.atStartOfDay(day(2))?.toString()).toBe('150');
    expect(history.atStartOfDay(day(0))).toBeNull();
  });
});
