/** Points of the equity curve for a chart. */

interface CurvePoint {
  readonly at: string;
  readonly equity: string | null;
  readonly net_pnl: string;
  readonly drawdown: string;
}

export interface Curve {
  readonly equity_curve: readonly CurvePoint[];
  readonly equity: string | null;
  readonly net_pnl: string;
}

export interface Point {
  readonly at: string;
  readonly value: number | null;
}

/** Whether the curve shows the equity; otherwise it shows the cumulative result, which is always known. */
export function hasEquity({ equity_curve }: Pick<Curve, 'equity_curve'>): boolean {
  return equity_curve.length > 0 && equity_curve.every(({ equity }) => equity !== null);
}

/** Returns the equity, or the cumulative result, by day. The last point is the current one, on the day `today`. */
export function curveOf(curve: Curve, today: string): Point[] {
  const isEquity = hasEquity(curve);
  const points = curve.equity_curve.map(({ at, equity, net_pnl }) => ({
    at,
    value: numberOf(isEquity ? equity : net_pnl),
  }));
  const last = curve.equity_curve.at(-1);
  const current = isEquity ? curve.equity : curve.net_pnl;
  if (last === undefined || current === null || last.at >= today) return points;
  return [...points, { at: today, value: numberOf(current) }];
}

/** Returns the drawdown by day, as negative values. */
export function drawdownOf({ equity_curve }: Pick<Curve, 'equity_curve'>): Point[] {
  return equity_curve.map(({ at, drawdown }) => ({ at, value: -Number(drawdown) || 0 }));
}

// A drawing needs no exact digits.
const numberOf = (value: string | null) => (value === null ? null : Number(value));
