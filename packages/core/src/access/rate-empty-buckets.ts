/**
 * Remembers buckets without a token, so that this process refuses further requests without a round trip.
 *
 * A caller that ignores `Retry-After` would otherwise cost Redis and this process as much as a served one. A bucket that is
 * empty stays empty until its next token, whatever other processes do, so no request is refused that Redis would admit.
 */
import type { BucketRequest, BucketResult } from './rate-buckets.js';
import type { RatePolicy } from './rate-limits.js';

const BUCKETS_MAX = 100_000;

export class EmptyBuckets {
  /** When each bucket will be full, by the clock of this process. */
  private readonly fullAtMs = new Map<string, number>();

  /** @param nowMs a monotonic clock, in ms */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** Remembers the buckets of a request if one of them is empty now. Buckets that are already known are updated. */
  record({ keys, set: { policies } }: BucketRequest, { untilFullUs }: BucketResult): void {
    const isOneEmpty = policies.some((policy, i) => isEmpty(policy, untilFullUs[i]!));
    if (!isOneEmpty && this.fullAtMs.size === 0) return;
    if (this.fullAtMs.size + keys.length > BUCKETS_MAX) this.fullAtMs.clear();
    const nowMs = this.nowMs();
    keys.forEach((key, i) => {
      if (isOneEmpty || this.fullAtMs.has(key)) this.fullAtMs.set(key, nowMs + untilFullUs[i]! / 1_000);
    });
  }

  /**
   * Returns the refusal of a request if this process knows that one of its buckets is empty. Returns undefined if only the
   * store can decide, also if the state of another of its buckets is unknown.
   */
  refusalOf({ keys, set: { policies } }: BucketRequest): BucketResult | undefined {
    if (this.fullAtMs.size === 0) return undefined;
    const nowMs = this.nowMs();
    const untilFullUs: number[] = [];
    for (const [i, key] of keys.entries()) {
      const fullAtMs = this.fullAtMs.get(key);
      if (fullAtMs === undefined) return undefined;
      if (fullAtMs <= nowMs) this.fullAtMs.delete(key);
      untilFullUs.push(Math.min(policies[i]!.capacityUs, Math.max(0, (fullAtMs - nowMs) * 1_000)));
    }
    const isRefused = policies.some((policy, i) => isEmpty(policy, untilFullUs[i]!));
    return isRefused ? { isAllowed: false, untilFullUs } : undefined;
  }
}

/** Returns whether a bucket that is full after `untilFullUs` microseconds has no token. */
export function isEmpty({ intervalUs, capacityUs }: RatePolicy, untilFullUs: number): boolean {
  return untilFullUs + intervalUs > capacityUs;
}
