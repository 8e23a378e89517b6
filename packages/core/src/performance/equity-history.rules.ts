import type { Decimal } from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

const DAY_MS = 86_400_000;

/** An account's equity at an instant. */
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
 * Sums the recorded equity of several accounts. Pure.
 *
 * An account that has not traded yet counts with its recorded equity, if any. An account that has traded but has no
 * recorded equity makes the sum unknown, that is null, because a sum without it would be too low.
 */
export class EquityHistory {
  private readonly accounts: readonly Account[];

  /**
   * @param tradesFrom the start of each account's first day with results, by account
   * @param points oldest first
   */
  constructor(tradesFrom: ReadonlyMap<string, number>, points: readonly EquityPoint[]) {
    const accounts = new Map(
      [...tradesFrom].map(([id, tradesFromMs]): [string, Account] => [id, { tradesFromMs, points: [] }]),
    );
    for (const point of points) accounts.get(point.accountId)?.points.push(point);
    this.accounts = [...accounts.values()];
  }

  /** Returns the equity that was last recorded before an instant. */
  latestBefore(instantMs: number): BigDecimal | null {
    return this.sum(({ points }) => lastBefore(points, instantMs), instantMs);
  }

  /** Returns the equity at the start of a day: the last one recorded before that day, or the first one of that day. */
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
