import { curveOf, drawdownOf, hasEquity } from './curve.rules';

const point = (day: number, equity: string | null, net_pnl: string, drawdown = '0') => ({
  at: `2026-03-0${day}T00:00:00.000Z`,
  equity,
  net_pnl,
  drawdown,
});
const TODAY = '2026-03-05T00:00:00.000Z';

describe('curveOf', () => {
  it('draws the equity and ends with the current one', () => {
    const curve = {
      equity_curve: [point(1, '100', '1'), point(3, '105.5', '6.5')],
      equity: '104',
      net_pnl: '6.5',
    };
    expect(curveOf(curve, TODAY)).toEqual([
      { at: '2026-03-01T00:00:00.000Z', value: 100 },
      { at: '2026-03-03T00:00:00.000Z', value: 105.5 },
      { at: TODAY, value: 104 },
    ]);
  });

  it('draws the cumulative result if an equity is unknown', () => {
    const curve = { equity_curve: [point(1, null, '1'), point(5, '9', '-2')], equity: '9', net_pnl: '-2' };
    expect(hasEquity(curve)).toBe(false);
    expect(curveOf(curve, TODAY).map(({ value }) => value)).toEqual([1, -2]);
  });

  it('is empty without a closed trade', () => {
    expect(curveOf({ equity_curve: [], equity: '100', net_pnl: '0' }, TODAY)).toEqual([]);
  });
});

describe('drawdownOf', () => {
  it('is negative, and zero without a sign', () => {
    const curve = { equity_curve: [point(1, '1', '1'), point(2, '1', '0', '1')] };
    expect(drawdownOf(curve).map(({ value }) => value)).toEqual([0, -1]);
  });
});
