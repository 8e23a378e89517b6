/** Calculations with the published results of a strategy. */
import { Exact, isZero, largestOf } from '../../format/decimals';

const DAY_MS = 86_400_000;

export interface IndexPoint {
  readonly at: string;
  readonly index: string;
}

/** Full days since the start of the record. */
export function daysSince(since: string, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - Date.parse(since)) / DAY_MS));
}

/** A point stands for the end of its UTC day. That of today is shown at the current time instead, which is not in the future. */
export const untilNow = <T extends IndexPoint>(curve: readonly T[], nowMs: number): T[] =>
  curve.map((point) =>
    Date.parse(point.at) > nowMs ? { ...point, at: new Date(nowMs).toISOString() } : point,
  );

/** The fall from the highest index so far, in percent, at each point: 0 or negative. */
export function drawdownsOf(curve: readonly IndexPoint[]): { at: string; value: number }[] {
  let peak = new Exact(0);
  return curve.map(({ at, index }) => {
    peak = largestOf(peak, index);
    const fall = isZero(peak) ? new Exact(0) : new Exact(index).div(peak).minus(1).times(100);
    return { at, value: fall.round(4).toNumber() };
  });
}

/** A percentage of the API as a ratio, so that it is formatted like the other percentages. */
export const ratioOfPercent = (percent: string | null): string | null =>
  percent === null ? null : new Exact(percent).div(100).toFixed();

/**
 * Returns the profit share of a profit of 1,000 above the high-water mark. The owner is granted tokens of this worth; the copier
 * is not debited.
 */
export const profitShareOf1000 = (rate: string): string => new Exact(rate).times(1_000).toFixed();

/** Returns whether all places for copiers are taken. */
export const isFull = ({
  capacity,
  copier_count,
}: {
  capacity?: number | undefined;
  copier_count: number;
}): boolean => capacity !== undefined && copier_count >= capacity;

export interface Position {
  /** The place in the list, from 0. */
  readonly index: number;
  /** The order of the list as the address names it; null for the default, which is the ranking. */
  readonly sort: string | null;
  readonly order: string | null;
}

/** Returns the rank by the copiers' return; undefined without this figure, or in a list of another order. */
export function rankOf(copierRoi: string | null, { index, sort, order }: Position): number | undefined {
  const isRanking = (sort === null || sort === 'copier_roi') && order !== 'asc';
  return isRanking && copierRoi !== null ? index + 1 : undefined;
}
