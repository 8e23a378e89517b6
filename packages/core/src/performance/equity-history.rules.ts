import type { Decimal } from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

const DAY_MS = 86_400_000;

/** An account's equity at an instant. */
export interface EquityPoint {
  readonly accountId: string;
  readonly takenAt: Date;
  readonly amount: Decimal;
}

/** An account, or several that share one wallet and thereby have the same equity. */
interface Wallet {
  readonly tradingSinceMs: number;
  /** Oldest first. */
  readonly points: EquityPoint[];
}

/**
 * Sums the recorded equity of several accounts. Pure.
 *
 * The equity of a wallet that several accounts share counts once.
 * An account that has not traded yet counts with its recorded equity, if any. If an account has traded but has no
 * recorded equity, the sum is null (unknown), because a sum without that account would be too low.
 */
export class EquityHistory {
  private readonly wallets: readonly Wallet[];

  /**
   * @param tradingSince the start of each account's first day with results, in ms, by account id
   * @param points oldest first
   * @param walletOf the wallets of accounts that share one, by account id; the others have a wallet of their own
   */
  constructor(
    tradingSince: ReadonlyMap<string, number>,
    points: readonly EquityPoint[],
    walletOf: ReadonlyMap<string, string> = new Map(),
  ) {
    const wallets = new Map<string, Wallet>();
    const idOf = (accountId: string) => walletOf.get(accountId) ?? accountId;
    for (const [accountId, sinceMs] of tradingSince) {
      const id = idOf(accountId);
      const others = wallets.get(id)?.tradingSinceMs ?? Number.POSITIVE_INFINITY;
      wallets.set(id, { tradingSinceMs: Math.min(sinceMs, others), points: [] });
    }
    for (const point of points) wallets.get(idOf(point.accountId))?.points.push(point);
    this.wallets = [...wallets.values()];
  }

  /** Returns the sum of each account's last equity before an instant. */
  latestBefore(instantMs: number): BigDecimal | null {
    return this.sum(({ points }) => lastBefore(points, instantMs), instantMs);
  }

  /** Returns the sum of each account's last equity before a day or, if it has none, of its first equity on that day. */
  atStartOfDay(dayMs: number): BigDecimal | null {
    const endMs = dayMs + DAY_MS;
    return this.sum(({ points }) => {
      const [first] = points;
      return lastBefore(points, dayMs) ?? (first && first.takenAt.getTime() < endMs ? first : undefined);
    }, endMs);
  }

  private sum(pick: (wallet: Wallet) => EquityPoint | undefined, untilMs: number): BigDecimal | null {
    let sum = new BigDecimal(0);
    let hasAny = false;
    for (const wallet of this.wallets) {
      const point = pick(wallet);
      if (point === undefined && wallet.tradingSinceMs < untilMs) return null;
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
