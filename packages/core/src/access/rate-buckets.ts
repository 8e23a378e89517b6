/**
 * Token buckets, each kept as one instant: when it will be full again. A token taken moves it on by the time in which
 * one comes back, and a bucket is empty where it lies a whole capacity ahead. A bucket that is not kept is full.
 */
import type { RatePolicySet } from './rate-limits.js';

/** What is asked of several buckets at once. */
export interface BucketClaim {
  /** One for each policy of the set. */
  readonly keys: readonly string[];
  readonly set: RatePolicySet;
}

export interface BucketsTaken {
  /** True where every bucket had a token, and gave it; else none gave any. */
  readonly isTaken: boolean;
  /** For each bucket, the microseconds until it is full again. */
  readonly untilFullUs: readonly number[];
}

export interface Buckets {
  /** Takes one token from each bucket, or from none. */
  take(claim: BucketClaim): BucketsTaken | Promise<BucketsTaken>;
}

const BUCKETS_MAX = 100_000;

/** Buckets in the memory of this process. */
export class LocalBuckets implements Buckets {
  private readonly fullAtUs = new Map<string, number>();

  /** @param nowUs a clock that never goes back, in microseconds */
  constructor(private readonly nowUs: () => number = () => Math.floor(performance.now() * 1_000)) {}

  take({ keys, set: { policies } }: BucketClaim): BucketsTaken {
    const nowUs = this.nowUs();
    const ahead = keys.map((key) => Math.max(0, (this.fullAtUs.get(key) ?? 0) - nowUs));
    if (policies.some(({ intervalUs, capacityUs }, i) => ahead[i]! + intervalUs > capacityUs))
      return { isTaken: false, untilFullUs: ahead };
    const untilFullUs = policies.map(({ intervalUs }, i) => ahead[i]! + intervalUs);
    keys.forEach((key, i) => {
      this.keep(key, nowUs + untilFullUs[i]!, nowUs);
    });
    return { isTaken: true, untilFullUs };
  }

  /** Full buckets are forgotten when there are too many; were that not enough, the longest untouched are. */
  private keep(key: string, fullAtUs: number, nowUs: number): void {
    this.fullAtUs.delete(key);
    if (this.fullAtUs.size >= BUCKETS_MAX) {
      for (const [other, atUs] of this.fullAtUs) if (atUs <= nowUs) this.fullAtUs.delete(other);
      for (const other of this.fullAtUs.keys()) {
        if (this.fullAtUs.size < BUCKETS_MAX) break;
        this.fullAtUs.delete(other);
      }
    }
    this.fullAtUs.set(key, fullAtUs);
  }
}
