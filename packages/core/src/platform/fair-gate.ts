import { DomainError } from '@trading-automation/contracts';
import { FairSlots, type Share, type SlotLimits } from '@trading-automation/persistence';

export interface FairGateLimits extends SlotLimits {
  /** The maximum number of a user's items, running and waiting. */
  readonly openPerUser: number;
  /** The maximum number of waiting items of all users. */
  readonly waiting: number;
  /** How long an item may wait for a slot, in ms. Without it, an item waits until it gets one. */
  readonly waitMaxMs?: number;
}

interface WaitingItem extends Share {
  readonly start: (release: () => void) => void;
}

const RETRY_AFTER_SECONDS = 1;

/**
 * Limits the concurrent work of one process, and divides it fairly between users (`persistence/fair-slots.ts`). Work
 * over the limits waits in memory, in a queue of its user.
 */
export class FairGate {
  private readonly slots: FairSlots;
  private readonly open = new Map<string, number>();
  private waiting: WaitingItem[] = [];

  constructor(
    /** What is limited, in the plural, for the message of the error. */
    private readonly subject: string,
    private readonly limits: FairGateLimits,
  ) {
    this.slots = new FairSlots(limits);
  }

  /**
   * Runs `work` when a slot of the user is free. While it waits, the abort of `signal` removes it from the queue.
   *
   * @throws {DomainError} `rate_limited` if the user has `openPerUser` items open; `service_unavailable` if the process
   *   has too many waiting items, or the item waits for `waitMaxMs`. Each can be retried after a second. Also throws what `work` throws
   */
  async run<T>(userId: string, work: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    const open = this.open.get(userId) ?? 0;
    if (open >= this.limits.openPerUser)
      throw this.refused('rate_limited', `${open} of your ${this.subject}`);
    if (this.waiting.length >= this.limits.waiting)
      throw this.refused('service_unavailable', `Too many ${this.subject}`);
    this.open.set(userId, open + 1);
    try {
      const release = await this.enter(userId, signal);
      try {
        return await work();
      } finally {
        release();
        this.startWaiting();
      }
    } finally {
      const left = this.open.get(userId)! - 1;
      if (left === 0) this.open.delete(userId);
      else this.open.set(userId, left);
    }
  }

  private enter(userId: string, signal: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const item: WaitingItem = {
        userId,
        start: (release) => {
          leave();
          resolve(release);
        },
      };
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        this.waiting = this.waiting.filter((other) => other !== item);
      };
      const onAbort = () => {
        leave();
        reject(signal?.reason);
      };
      if (signal?.aborted === true) return reject(signal.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      const { waitMaxMs } = this.limits;
      const timer =
        waitMaxMs === undefined
          ? undefined
          : setTimeout(() => {
              leave();
              reject(this.refused('service_unavailable', `Too many of your ${this.subject}`));
            }, waitMaxMs);
      this.waiting.push(item);
      this.startWaiting();
    });
  }

  private startWaiting(): void {
    if (this.waiting.length === 0 || this.slots.free === 0) return;
    const chosen = this.slots.choose(this.waiting);
    if (chosen.length === 0) return;
    const started = new Set<WaitingItem>(chosen);
    this.waiting = this.waiting.filter((item) => !started.has(item));
    for (const item of chosen) item.start(this.slots.occupy(item));
  }

  private refused(code: 'rate_limited' | 'service_unavailable', which: string): DomainError {
    const message = `${which} are still being processed. Wait until one of them ends, then retry.`;
    return new DomainError(code, message, [], { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
}
