import type { Decimal } from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

const DAY_MS = 86_400_000;

/** An account's equity at a moment. */
export interface EquityPoint {
  readonly accountId: string;
  readonly takenAt: Date;
  readonly amount: Decimal;
}

interface Account {
  readonly tradesFromMs: number;
  /** Oldest first. */
  readonly points: EquityPoint[];
}

/**
 * The combined equity of accounts, as far as it was recorded. Pure.
 *
 * An account that has not traded yet counts with its known equity. An account that has traded but has no recorded
 * equity makes the total unknown: null, never too low a value.
 */
export class EquityHistory {
  private readonly accounts: readonly Account[];

  /**
   * @param tradesFrom by account: the start of its first day with results
   * @param points oldest first
   */
  constructor(tradesFrom: ReadonlyMap<string, number>, points: readonly EquityPoint[]) {
    const accounts = new Map(
      [...tradesFrom].map(([id, tradesFromMs]): [string, Account] => [id, { tradesFromMs, points: [] }]),
    );
    for (const point of points) accounts.get(point.accountId)?.points.push(point);
    this.accounts = [...accounts.values()];
  }

  /** Returns the last recorded equity before an instant. */
  latestBefore(instantMs: number): BigDecimal | null {
    return this.sum(({ points }) => lastBefore(points, instantMs), instantMs);
  }

  /** Returns the equity at the start of a day: the last recorded before it, otherwise the first recorded on it. */
  atStartOfDay(dayMs: number): BigDecimal | null {
    const endMs = dayMs + DAY_MS;
    return this.sum(({ points }) => {
      const [first] = points;
      return lastBefore(points, dayMs) ?? (first && first.takenAt.getTime() < endMs ? first : undefined);
    }, endMs);
  }

  private sum(pick: (account: Account) => EquityPoint | undefined, untilMs: number): BigDecimal | null {
    let sum = new BigDecimal(0);
    let hasAny = false;
    for (const account of this.accounts) {
      const point = pick(account);
      if (point === undefined && account.tradesFromMs < untilMs) return null;
      if (point === undefined) continue;
      sum = sum.plus(point.amount);
      hasAny = true;
    }
    return hasAny ? sum : null;
  }
}

function lastBefore(points: readonly EquityPoint[], instantMs: number): EquityPoint | undefined {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (points[middle]!.takenAt.getTime() < instantMs) low = middle + 1;
    else high = middle;
  }
  return points[low - 1];
}
