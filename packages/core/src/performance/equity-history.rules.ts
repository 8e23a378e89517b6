import type { Decimal } from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

const DAY_MS = 86_400_000;

/** What an account was worth at a moment. */
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
 * What accounts together were worth, as far as it was recorded. Pure.
 *
 * An account that did not trade yet counts with what is known of it; one that did, and of which nothing was recorded by
 * then, makes the whole unknown: null, never too little.
 */
export class EquityHistory {
  private readonly accounts: readonly Account[];

  /**
   * @param tradesFrom by account: the beginning of the first day with results of it
   * @param points oldest first
   */
  constructor(tradesFrom: ReadonlyMap<string, number>, points: readonly EquityPoint[]) {
    const accounts = new Map(
      [...tradesFrom].map(([id, tradesFromMs]): [string, Account] => [id, { tradesFromMs, points: [] }]),
    );
    for (const point of points) accounts.get(point.accountId)?.points.push(point);
    this.accounts = [...accounts.values()];
  }

  /** The last that was recorded before an instant. */
  latestBefore(instantMs: number): BigDecimal | null {
    return this.sum(({ points }) => lastBefore(points, instantMs), instantMs);
  }

  /** What a day began with: the last that was recorded before it, else the first that was recorded on it. */
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
