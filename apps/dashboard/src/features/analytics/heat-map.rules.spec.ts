import { heatWeeks } from './heat-map.rules';

const result = (day: string, period_pnl: string) => ({ at: `${day}T00:00:00.000Z`, period_pnl });

describe('heatWeeks', () => {
  it('begins on the Monday of the first result and ends with the last day', () => {
    // A Wednesday to the Tuesday after it.
    const weeks = heatWeeks([result('2026-03-04', '5'), result('2026-03-09', '-1')], '2026-03-10');
    expect(weeks.map(({ monday }) => monday)).toEqual(['2026-03-02', '2026-03-09']);
    expect(weeks[0]?.cells.map((cell) => cell?.day.slice(8))).toEqual([
      undefined,
      undefined,
      '04',
      '05',
      '06',
      '07',
      '08',
    ]);
    expect(weeks[1]?.cells.filter((cell) => cell !== undefined)).toHaveLength(2);
  });

  it('grades results by the largest one', () => {
    const results = [result('2026-03-02', '100'), result('2026-03-03', '-26'), result('2026-03-04', '0.1')];
    const [week] = heatWeeks(results, '2026-03-05');
    expect(week?.cells.slice(0, 4).map((cell) => cell?.level)).toEqual([4, -2, 1, 0]);
  });

  it('shows at most the last 53 weeks', () => {
    const weeks = heatWeeks([result('2024-01-01', '1'), result('2026-03-01', '1')], '2026-03-01');
    expect(weeks).toHaveLength(53);
    expect(weeks.at(-1)?.cells.at(-1)?.day).toBe('2026-03-01');
  });

  it('is empty without results', () => {
    expect(heatWeeks([], '2026-03-01')).toEqual([]);
  });
});
