/**
 * Divides the slots of one process between users.
 *
 * 1. A user never occupies more than `perUser` slots, and an account never more than `perAccount`.
 * 2. A free slot goes to the waiting user with the fewest occupied slots; in a tie, to the one served least recently.
 *    A user without an occupied slot therefore waits at most for one start of each other user.
 * 3. Within a user, the oldest item whose account has a free slot comes first.
 */

/** The user and the account that an item counts for. Items without a user share one user's slots. */
export interface Share {
  readonly userId: string | null;
  readonly accountId?: string | null;
}

export interface SlotLimits {
  readonly total: number;
  readonly perUser: number;
  /** Default: `perUser`. */
  readonly perAccount?: number;
}

/** How many users the order of service remembers. A forgotten user counts as not served yet. */
const TURNS_MAX = 10_000;

export class FairSlots {
  private readonly users = new Map<string, number>();
  private readonly accounts = new Map<string, number>();
  /** The turn in which each user was served last, least recent first. */
  private readonly turns = new Map<string, number>();
  private turn = 0;
  private occupied = 0;

  constructor(private readonly limits: SlotLimits) {}

  get free(): number {
    return this.limits.total - this.occupied;
  }

  /** Users and accounts that have no free slot. */
  get full(): { readonly users: readonly string[]; readonly accounts: readonly string[] } {
    const atLimit = (counts: ReadonlyMap<string, number>, limit: number) =>
      [...counts].filter(([, count]) => count >= limit).map(([id]) => id);
    return {
      users: atLimit(this.users, this.limits.perUser),
      accounts: atLimit(this.accounts, this.perAccount),
    };
  }

  /** Returns the items that may start now, in order of service. `waiting` is sorted by age, oldest first. */
  choose<T extends Share>(waiting: readonly T[]): readonly T[] {
    const chosen: T[] = [];
    const releases: (() => void)[] = [];
    const queues = queuesOf(waiting);
    while (this.free > 0) {
      const next = this.nextOf(queues);
      if (next === undefined) break;
      chosen.push(next);
      releases.push(this.count(next));
    }
    // The caller occupies the slots of the items that it really starts.
    for (const release of releases) release();
    return chosen;
  }

  /** Occupies a slot, even if none is free; returns the function that releases it. */
  occupy(share: Share): () => void {
    const user = userOf(share);
    this.turns.delete(user);
    this.turns.set(user, ++this.turn);
    if (this.turns.size > TURNS_MAX) this.turns.delete(this.turns.keys().next().value!);
    return this.count(share);
  }

  private get perAccount(): number {
    return this.limits.perAccount ?? this.limits.perUser;
  }

  private nextOf<T extends Share>(queues: Map<string, T[]>): T | undefined {
    let best: { readonly queue: T[]; readonly place: number; readonly rank: [number, number] } | undefined;
    for (const [user, queue] of queues) {
      const running = this.users.get(user) ?? 0;
      const rank: [number, number] = [running, this.turns.get(user) ?? 0];
      if (running >= this.limits.perUser || (best !== undefined && !isBefore(rank, best.rank))) continue;
      const place = queue.findIndex((item) => this.hasAccountSlot(item));
      if (place >= 0) best = { queue, place, rank };
    }
    return best?.queue.splice(best.place, 1)[0];
  }

  private hasAccountSlot({ accountId }: Share): boolean {
    return accountId == null || (this.accounts.get(accountId) ?? 0) < this.perAccount;
  }

  private count(share: Share): () => void {
    const counted = [add(this.users, userOf(share)), share.accountId && add(this.accounts, share.accountId)];
    this.occupied += 1;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.occupied -= 1;
      for (const release of counted) if (typeof release === 'function') release();
    };
  }
}

const userOf = ({ userId }: Share): string => userId ?? '';

const isBefore = (a: readonly [number, number], b: readonly [number, number]) =>
  a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);

function queuesOf<T extends Share>(waiting: readonly T[]): Map<string, T[]> {
  const queues = new Map<string, T[]>();
  for (const item of waiting) {
    const queue = queues.get(userOf(item));
    if (queue === undefined) queues.set(userOf(item), [item]);
    else queue.push(item);
  }
  return queues;
}

function add(counts: Map<string, number>, id: string): () => void {
  counts.set(id, (counts.get(id) ?? 0) + 1);
  return () => {
    const left = counts.get(id)! - 1;
    if (left === 0) counts.delete(id);
    else counts.set(id, left);
  };
}
