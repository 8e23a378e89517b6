/**
 * Token buckets, each kept as one instant: when it will be full again. A token taken moves it on by the time in which
 * one comes back, and a bucket is empty where it lies a whole capacity ahead. A bucket that is not kept is full.
 */
import type { RatePolicySet } from './rate-limits.js';

/** What is asked of several buckets at once. */
export interface BucketRequest {
  /** One for each policy of the set. */
  readonly keys: readonly string[];
  readonly set: RatePolicySet;
}

export interface BucketResult {
  /** True where every bucket had a token, and gave it; else none gave any. */
  readonly isAllowed: boolean;
  /** For each bucket, the microseconds until it is full again. */
  readonly refillUs: readonly number[];
}

export interface Buckets {
  /** Takes one token from each bucket, or from none. */
  take(claim: BucketRequest): BucketResult | Promise<BucketResult>;
}

const GENERATION_MAX = 50_000;

/**
 * Buckets in the memory of this process. Those that were not touched while 50,000 others were are forgotten: a whole
 * generation at once, so that a flood of addresses costs no more for each than the first one did.
 */
export class LocalBuckets implements Buckets {
  private recent = new Map<string, number>();
  private former = new Map<string, number>();

  /** @param nowUs a clock that never goes back, in microseconds */
  constructor(private readonly nowUs: () => number = () => Math.floor(performance.now() * 1_000)) {}

  take({ keys, set: { policies } }: BucketRequest): BucketResult {
    const nowUs = this.nowUs();
    const ahead = keys.map((key) => Math.max(0, this.fullAtUs(key) - nowUs));
    if (policies.some(({ intervalUs, capacityUs }, i) => ahead[i]! + intervalUs > capacityUs))
      return { isAllowed: false, refillUs: ahead };
    const untilFullUs = policies.map(({ intervalUs }, i) => ahead[i]! + intervalUs);
    keys.forEach((key, i) => {
      this.keep(key, nowUs + untilFullUs[i]!);
    });
    return { isAllowed: true, refillUs: untilFullUs };
  }

  private fullAtUs(key: string): number {
    return this.recent.get(key) ?? this.former.get(key) ?? 0;
  }

  private keep(key: string, fullAtUs: number): void {
    if (this.recent.size >= GENERATION_MAX && !this.recent.has(key)) {
      this.former = this.recent;
      this.recent = new Map();
    }
    this.recent.set(key, fullAtUs);
  }
}
