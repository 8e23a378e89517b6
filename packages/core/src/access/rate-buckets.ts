/**
 * Token buckets. A bucket is stored as the instant at which it will be full. Taking a token moves that instant forward
 * by the time in which one token refills. A bucket has no token left if another token would move the instant further
 * ahead than an empty bucket takes to fill. A bucket without a stored instant is full.
 */
import type { RatePolicySet } from './rate-limits.js';

/** A request for one token from each of several buckets. */
export interface BucketRequest {
  /** One bucket key for each policy of the set. */
  readonly keys: readonly string[];
  readonly set: RatePolicySet;
}

export interface BucketResult {
  /** True if a token was taken from every bucket; false if no token was taken. */
  readonly isAllowed: boolean;
  /** Microseconds until each bucket is full. */
  readonly untilFullUs: readonly number[];
}

export interface Buckets {
  /** Takes one token from every bucket, or from none. */
  take(request: BucketRequest): BucketResult | Promise<BucketResult>;
}

const GENERATION_MAX = 50_000;

/**
 * Buckets in the memory of this process. A bucket is evicted at the earliest after 50,000 other buckets were used since
 * its last use. Eviction drops a whole generation, so that a flood of addresses does not raise the cost of a request.
 */
export class LocalBuckets implements Buckets {
  private recent = new Map<string, number>();
  private previous = new Map<string, number>();

  /** @param nowUs a monotonic clock, in microseconds */
  constructor(private readonly nowUs: () => number = () => Math.floor(performance.now() * 1_000)) {}

  take({ keys, set: { policies } }: BucketRequest): BucketResult {
    const nowUs = this.nowUs();
    const aheadUs = keys.map((key) => Math.max(0, this.fullAtUs(key) - nowUs));
    if (policies.some(({ intervalUs, capacityUs }, i) => aheadUs[i]! + intervalUs > capacityUs))
      return { isAllowed: false, untilFullUs: aheadUs };
    const untilFullUs = policies.map(({ intervalUs }, i) => aheadUs[i]! + intervalUs);
    keys.forEach((key, i) => {
      this.store(key, nowUs + untilFullUs[i]!);
    });
    return { isAllowed: true, untilFullUs };
  }

  private fullAtUs(key: string): number {
    return this.recent.get(key) ?? this.previous.get(key) ?? 0;
  }

  private store(key: string, fullAtUs: number): void {
    if (this.recent.size >= GENERATION_MAX && !this.recent.has(key)) {
      this.previous = this.recent;
      this.recent = new Map();
    }
    this.recent.set(key, fullAtUs);
  }
}
