/**
 * Token buckets, each stored as the instant at which it will be full. Taking a token moves that instant forward by
 * the refill time of one token. A bucket is empty if the instant is a whole capacity ahead, and full if no instant
 * is stored.
 */
import type { RatePolicySet } from './rate-limits.js';

/** One token from each of several buckets. */
export interface BucketRequest {
  /** One bucket key for each policy of the set. */
  readonly keys: readonly string[];
  readonly set: RatePolicySet;
}

export interface BucketResult {
  /** True if every bucket gave a token; if false, none was taken. */
  readonly isAllowed: boolean;
  /** Microseconds until each bucket is full. */
  readonly refillUs: readonly number[];
}

export interface Buckets {
  /** Takes one token from every bucket, or from none. */
  take(claim: BucketRequest): BucketResult | Promise<BucketResult>;
}

const GENERATION_MAX = 50_000;

/**
 * Buckets in the memory of this process. A bucket is evicted after 50,000 others were used since its last use.
 * Eviction drops a whole generation, so that a flood of addresses keeps a constant cost per request.
 */
export class LocalBuckets implements Buckets {
  private recent = new Map<string, number>();
  private previous = new Map<string, number>();

  /** @param nowUs a monotonic clock, in microseconds */
  constructor(private readonly nowUs: () => number = () => Math.floor(performance.now() * 1_000)) {}

  take({ keys, set: { policies } }: BucketRequest): BucketResult {
    const nowUs = this.nowUs();
    const ahead = keys.map((key) => Math.max(0, this.fullAtUs(key) - nowUs));
    if (policies.some(({ intervalUs, capacityUs }, i) => ahead[i]! + intervalUs > capacityUs))
      return { isAllowed: false, refillUs: ahead };
    const untilFullUs = policies.map(({ intervalUs }, i) => ahead[i]! + intervalUs);
    keys.forEach((key, i) => {
      this.store(key, nowUs + untilFullUs[i]!);
    });
    return { isAllowed: true, refillUs: untilFullUs };
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
