import { seenFillKey, seenOrderKey } from '@trading-automation/core/exchange-accounts';
import type { VenueFill, VenueOrder } from '@trading-automation/exchanges';

/** The maximum number of changes per millisecond that are kept. Without them, free balances are understated briefly. */
const KEPT_MAX = 1_000;

/**
 * The orders and fills of the latest millisecond that one connection reported. Balances of the same millisecond that
 * arrive after them include them; by time alone that could not be decided.
 */
export class SeenChanges {
  private latestMs = Number.NEGATIVE_INFINITY;
  private keys = new Set<string>();

  add({ exchangeOrderId, createdAt }: VenueOrder, fills: readonly VenueFill[]): void {
    this.note(createdAt, seenOrderKey(exchangeOrderId));
    for (const { exchangeFillId, executedAt } of fills)
      this.note(executedAt, seenFillKey(exchangeOrderId, exchangeFillId));
  }

  /** Returns the keys of the changes that happened in the millisecond `at`. */
  of(at: Date): readonly string[] {
    return at.getTime() === this.latestMs ? [...this.keys] : [];
  }

  private note(at: Date, key: string): void {
    const atMs = at.getTime();
    if (atMs > this.latestMs) {
      this.latestMs = atMs;
      this.keys = new Set();
    }
    if (atMs === this.latestMs && this.keys.size < KEPT_MAX) this.keys.add(key);
  }
}
