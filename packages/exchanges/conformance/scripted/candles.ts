import { type Exact, exact } from './model.js';

interface Trade {
  readonly price: Exact;
  readonly amount: Exact;
  readonly at: number;
}

export interface ScriptedCandle {
  readonly openedAt: number;
  readonly open: Exact;
  readonly high: Exact;
  readonly low: Exact;
  readonly close: Exact;
  readonly volume: Exact;
  readonly turnover: Exact;
}

/** Returns the candles of trades, oldest first; intervals without a trade are omitted. */
export function candlesOf(
  trades: readonly Trade[],
  intervalMs: number,
  { start = 0, end = Number.POSITIVE_INFINITY }: { start?: number | undefined; end?: number | undefined },
): readonly ScriptedCandle[] {
  const groups = new Map<number, Trade[]>();
  for (const trade of trades) {
    const openedAt = Math.floor(trade.at / intervalMs) * intervalMs;
    if (openedAt < start || openedAt > end) continue;
    groups.set(openedAt, [...(groups.get(openedAt) ?? []), trade]);
  }
  return [...groups].map(([openedAt, group]) => {
    const prices = group.map(({ price }) => price);
    const best = (isBetter: (a: Exact, b: Exact) => boolean) =>
      prices.reduce((found, price) => (isBetter(price, found) ? price : found));
    return {
      openedAt,
      open: prices[0] ?? exact(0),
      high: best((a, b) => a.gt(b)),
      low: best((a, b) => a.lt(b)),
      close: prices.at(-1) ?? exact(0),
      volume: group.reduce((sum, { amount }) => sum.plus(amount), exact(0)),
      turnover: group.reduce((sum, { amount, price }) => sum.plus(amount.times(price)), exact(0)),
    };
  });
}
