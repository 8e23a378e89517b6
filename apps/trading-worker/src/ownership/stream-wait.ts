/**
 * Lets the new orders of an account that was taken over wait for its stream, for a short time. The fills of an order that
 * is sent before have to be read by calls. After several takeovers, these calls would use up the budget that the streams
 * need to connect.
 */
import type { OwnedAccount } from '@trading-automation/core/exchange-accounts';

export interface StreamWaitOptions {
  /** How long new orders of an account wait for its stream; 0 if they do not wait. */
  readonly waitMs: number;
  readonly hasStream: (accountId: string) => boolean;
  /** Called when the orders of an account do not wait any more. */
  readonly onEnd: (accountId: string) => void;
}

export class StreamWait {
  private fences: ReadonlyMap<string, string> = new Map();
  private readonly timers = new Map<string, NodeJS.Timeout>();

  constructor(private readonly options: StreamWaitOptions) {}

  /** The orders of accounts that this worker took over since the last call wait from now on. */
  setAccounts(owned: ReadonlyMap<string, OwnedAccount>): void {
    const { waitMs } = this.options;
    for (const accountId of this.timers.keys()) if (!owned.has(accountId)) this.end(accountId);
    for (const { accountId, fence, isActive } of owned.values()) {
      if (waitMs === 0 || !isActive || this.fences.get(accountId) === fence) continue;
      clearTimeout(this.timers.get(accountId));
      const timer = setTimeout(() => this.end(accountId), waitMs);
      timer.unref();
      this.timers.set(accountId, timer);
    }
    this.fences = new Map([...owned.values()].map(({ accountId, fence }) => [accountId, fence]));
  }

  /** Whether new orders of the account wait. */
  isWaiting(accountId: string): boolean {
    return this.timers.has(accountId) && !this.options.hasStream(accountId);
  }

  onStreamWorks(accountId: string): void {
    if (this.timers.has(accountId)) this.end(accountId);
  }

  stop(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
  }

  private end(accountId: string): void {
    clearTimeout(this.timers.get(accountId));
    this.timers.delete(accountId);
    this.options.onEnd(accountId);
  }
}
