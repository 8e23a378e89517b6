/**
 * Shared buckets, and those of this process while the shared ones are away.
 *
 * 1. A request is never refused, nor let in free, because Redis is away: the same limits hold in each process.
 * 2. Only those that were waiting when Redis went away wait for it; from then on one request at a time asks whether it
 *    is back, at most once in a second.
 */
import type { BucketRequest, BucketResult, Buckets } from './rate-buckets.js';

const RETRY_MS = 1_000;

export class FailoverBuckets implements Buckets {
  /** Null while the shared ones answer. */
  private retryAtMs: number | null = null;

  constructor(
    private readonly shared: Buckets,
    private readonly local: Buckets,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  async take(claim: BucketRequest): Promise<BucketResult> {
    if (this.retryAtMs !== null) {
      const nowMs = this.nowMs();
      if (nowMs < this.retryAtMs) return this.local.take(claim);
      // This request asks; the others don't wait for what it finds.
      this.retryAtMs = nowMs + RETRY_MS;
    }
    try {
      const taken = await this.shared.take(claim);
      this.retryAtMs = null;
      return taken;
    } catch {
      this.retryAtMs = this.nowMs() + RETRY_MS;
      return this.local.take(claim);
    }
  }
}
