/** The call budget: it decides when a request to an exchange may be sent. */

/**
 * What a call is for. It decides the share of the limits that the call may use, and its place in the queue:
 *
 * - `exit`: an order or a cancellation that reduces risk.
 * - `user`: a user waits for the result.
 * - `resume`: what lets an account work again at a low cost: the connection of its stream, and the look-up of an order
 *   without a response. Without a stream, each order costs more calls than the connection.
 * - `repair`: the comparison of an account that others wait for, after its stream has connected.
 * - `copy`: an entry of a copier.
 * - `copy_read`: what entries wait for: balances, and fills that no stream reports.
 * - `check`: background work that follows an event: an order without a report, a gap of a stream, public data.
 * - `rotation`: background work that can wait.
 */
export type CallPurpose = 'exit' | 'user' | 'resume' | 'repair' | 'copy' | 'copy_read' | 'check' | 'rotation';

/** The purposes in the order in which their calls are admitted. */
export const CALL_PURPOSES: readonly CallPurpose[] = [
  'exit',
  'user',
  'resume',
  'repair',
  'copy',
  'copy_read',
  'check',
  'rotation',
];

/** One request that is about to be sent. */
export interface BudgetedCall {
  /** Id of the `ExchangeVenue`. */
  readonly venue: string;
  /** The local address that the request is sent from; undefined if the venue is configured without addresses. */
  readonly egress?: string | undefined;
  /** The account of the call; undefined for public data. */
  readonly accountKey?: string | undefined;
  /** The user whose account it is; undefined for public data. */
  readonly userId?: string | undefined;
  /** The cost of the call in the exchange's request weight. */
  readonly weight: number;
  /** The cost of the call in the weight that the exchange counts for each account. Default: `weight`. */
  readonly accountWeight?: number | undefined;
  /** Whether the call counts as a new order of the account. */
  readonly isOrder: boolean;
  readonly isExit?: boolean | undefined;
  /** Default: `copy` for an order, otherwise `check`. `isExit` takes precedence. */
  readonly purpose?: CallPurpose | undefined;
}

/** Returns what a call uses of the weight that the exchange counts for its account; 0 for public data. */
export function accountWeightOf({ accountKey, accountWeight, weight }: BudgetedCall): number {
  return accountKey === undefined ? 0 : (accountWeight ?? weight);
}

/** Returns the purpose of a call. */
export function purposeOf({ isOrder, isExit, purpose }: BudgetedCall): CallPurpose {
  if (isExit === true) return 'exit';
  return purpose ?? (isOrder ? 'copy' : 'check');
}

/** Decides when a request may be sent, within the limits that all processes of the deployment share. */
export interface CallBudget {
  /**
   * Resolves when the request may be sent. Rejects if the signal aborts first.
   * @throws {ExchangeError} `retryable`/`rate_limited`, and nothing else
   */
  take(call: BudgetedCall, signal: AbortSignal): Promise<void>;
  /** Stops all calls from one local address to the exchange for `forMs`, as the exchange requested. */
  pause(venue: string, forMs: number, egress?: string): void;
}

interface Waiter {
  readonly call: BudgetedCall;
}

/** Waiting calls of one purpose. Users take turns; the calls of one user keep their order. */
export class TurnQueue<T extends Waiter> {
  /** The user who was served least recently is first. */
  readonly #users = new Map<string, Set<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns the waiting calls of the user. */
  of(userId: string): Iterable<T> {
    return this.#users.get(userId) ?? [];
  }

  add(waiter: T): void {
    const user = userOf(waiter);
    const queue = this.#users.get(user);
    if (queue === undefined) this.#users.set(user, new Set([waiter]));
    else queue.add(waiter);
    this.#size++;
  }

  /** Removes a call that is no longer waiting. */
  delete(waiter: T): void {
    const user = userOf(waiter);
    const queue = this.#users.get(user);
    if (queue?.delete(waiter) !== true) return;
    this.#size--;
    if (queue.size === 0) this.#users.delete(user);
  }

  /** Removes an admitted call; the next turns are those of other users. */
  admit(waiter: T): void {
    this.delete(waiter);
    const user = userOf(waiter);
    const queue = this.#users.get(user);
    if (queue === undefined) return;
    this.#users.delete(user);
    this.#users.set(user, queue);
  }

  /** Returns all waiting calls in the order of service: the first call of each user, then the second ones. */
  inTurns(): readonly T[] {
    const queues = [...this.#users.values()].map((queue) => [...queue]);
    const turns: T[] = [];
    for (let place = 0; turns.length < this.#size; place++)
      for (const queue of queues) turns.push(...queue.slice(place, place + 1));
    return turns;
  }
}

const userOf = ({ call }: Waiter): string => call.userId ?? '';

/** Returns an empty queue for each purpose. */
export function queuesByPurpose<T extends Waiter>(): Readonly<Record<CallPurpose, TurnQueue<T>>> {
  const queues = CALL_PURPOSES.map((purpose) => [purpose, new TurnQueue<T>()] as const);
  return Object.fromEntries(queues) as Record<CallPurpose, TurnQueue<T>>;
}
