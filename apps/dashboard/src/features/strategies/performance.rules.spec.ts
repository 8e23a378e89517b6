import {
  daysSince,
  drawdownsOf,
  isFull,
  profitShareOf1000,
  rankOf,
  ratioOfPercent,
  untilNow,
} from './performance.rules';

describe('the results of a strategy', () => {
  it('have a record of full days', () => {
    const now = Date.parse('2026-03-10T12:00:00.000Z');
    expect(daysSince('2026-03-01T13:00:00.000Z', now)).toBe(8);
    expect(daysSince('2026-03-11T00:00:00.000Z', now)).toBe(0);
  });

  it('have a drawdown from the highest index so far', () => {
    const at = '2026-03-01T00:00:00.000Z';
    const curve = ['100', '110', '99', '110', '121', '60.5'].map((index) => ({ at, index }));
    expect(drawdownsOf(curve).map(({ value }) => value)).toEqual([0, 0, -10, 0, 0, -50]);
    expect(drawdownsOf([])).toEqual([]);
  });

  it('end now, not at the end of the day', () => {
    const point = (at: string) => ({ at, index: '100' });
    const [yesterday, today] = ['2026-03-10T00:00:00.000Z', '2026-03-11T00:00:00.000Z'];
    const now = '2026-03-10T12:00:00.000Z';
    expect(untilNow([point(yesterday), point(today)], Date.parse(now))).toEqual([
      point(yesterday),
      point(now),
    ]);
  });

  it('show percentages as ratios', () => {
    expect(ratioOfPercent('12.5')).toBe('0.125');
    expect(ratioOfPercent(null)).toBeNull();
  });

  it('show what a profit of 1,000 costs', () => {
    expect(profitShareOf1000('0.15')).toBe('150');
    expect(profitShareOf1000('0')).toBe('0');
  });
});

describe('a strategy in a list', () => {
  it('has a rank only by the return of its copiers', () => {
    const ranking = { index: 2, sort: null, order: null };
    expect(rankOf('0.1', ranking)).toBe(3);
    expect(rankOf('0.1', { index: 2, sort: 'copier_roi', order: 'desc' })).toBe(3);
    expect(rankOf(null, ranking)).toBeUndefined();
    expect(rankOf('0.1', { ...ranking, sort: 'name' })).toBeUndefined();
    expect(rankOf('0.1', { ...ranking, order: 'asc' })).toBeUndefined();
  });

  it('is full once all of its places are taken', () => {
    expect(isFull({ capacity: 2, copier_count: 1 })).toBe(false);
    expect(isFull({ capacity: 2, copier_count: 2 })).toBe(true);
    expect(isFull({ copier_count: 1_000 })).toBe(false);
  });
});
