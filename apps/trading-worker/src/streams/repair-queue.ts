/**
 * Orders the reconciliations of this worker's accounts, so that a restart with thousands of accounts does not burst.
 *
 * 1. Accounts that running copiers follow come first: until a fill is known, no one copies it. Then come accounts with
 *    open orders, accounts with open lots, and those that a strategy or a running copier uses. Accounts of one rank keep
 *    their order.
 * 2. Accounts that can wait for the rotation have slots of their own. They never delay the others.
 */
import type { AccountExposure } from '@trading-automation/core/trades';
import type { CallPurpose } from '@trading-automation/exchanges';

/** Few, because a reconciliation that waits for the call budget keeps its slot. */
const URGENT_CONCURRENCY = 4;
const ROTATION_CONCURRENCY = 2;

/**
 * Why an account is reconciled:
 *
 * - `connected`: its stream has just connected.
 * - `doubt`: the stream or the last reconciliation raised a doubt.
 * - `rotation`: it can wait: it is due in the rotation, or it is new and nothing depends on it.
 */
export type RepairReason = 'connected' | 'doubt' | 'rotation';

const RANKS: Readonly<Record<AccountExposure['kind'], number>> = {
  OPEN_ORDERS: 1,
  OPEN_LOTS: 2,
  IN_USE: 3,
  IDLE: 4,
};
const rankOf = ({ kind, isFollowed }: AccountExposure) => (isFollowed ? 0 : RANKS[kind]);

interface Waiting {
  readonly rank: number;
  readonly start: () => void;
}

/** Runs work with limited concurrency; of the waiting work, the lowest rank first. */
class RankedSlots {
  private readonly waiting: Waiting[] = [];
  private running = 0;

  constructor(private readonly concurrency: number) {}

  async run<T>(rank: number, work: () => Promise<T>): Promise<T> {
    if (this.running < this.concurrency) this.running++;
    else await this.turn(rank);
    try {
      return await work();
    } finally {
      // The next waiting work takes over the slot.
      const next = this.waiting.shift();
      if (next === undefined) this.running--;
      else next.start();
    }
  }

  private turn(rank: number): Promise<void> {
    return new Promise((start) => {
      const place = this.waiting.findIndex((each) => each.rank > rank);
      this.waiting.splice(place < 0 ? this.waiting.length : place, 0, { rank, start });
    });
  }
}

export class RepairQueue {
  private readonly urgent = new RankedSlots(URGENT_CONCURRENCY);
  private readonly rotation = new RankedSlots(ROTATION_CONCURRENCY);

  /**
   * Runs a reconciliation when it is its turn.
   *
   * @param work gets the share of the call budget that it may use
   */
  run<T>(
    exposure: AccountExposure,
    reason: RepairReason,
    work: (purpose: CallPurpose) => Promise<T>,
  ): Promise<T> {
    if (reason === 'rotation') return this.rotation.run(rankOf(exposure), () => work('rotation'));
    // Copiers wait for what the account did meanwhile, or its own events wait.
    const isAwaited = exposure.isFollowed || exposure.kind === 'OPEN_ORDERS';
    const purpose = reason === 'connected' && isAwaited ? 'repair' : 'check';
    return this.urgent.run(rankOf(exposure), () => work(purpose));
  }
}
