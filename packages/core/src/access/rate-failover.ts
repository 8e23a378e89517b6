/**
 * Uses the shared buckets, and the buckets of this process while Redis is unavailable.
 *
 * 1. An outage of Redis neither rejects a request nor admits it without a limit: each process applies the same
 *    limits.
 * 2. Only requests in flight wait for the failing Redis. After that, one request per second at most checks whether it
 *    is available again.
 */
import type { BucketRequest, BucketResult, Buckets } from './rate-buckets.js';

const RETRY_MS = 1_000;

export class FailoverBuckets implements Buckets {
  /** Null while Redis is available. */
  private retryAtMs: number | null = null;

  constructor(
    private readonly shared: Buckets,
    private readonly local: Buckets,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  async take(request: BucketRequest): Promise<BucketResult> {
    if (this.retryAtMs !== null) {
      const nowMs = this.nowMs();
      if (nowMs < this.retryAtMs) return this.local.take(request);
      // This request checks Redis; concurrent requests do not wait for it.
      this.retryAtMs = nowMs + RETRY_MS;
    }
    try {
      const taken = await this.shared.take(request);
      this.retryAtMs = null;
      return taken;
    } catch {
      this.retryAtMs = this.nowMs() + RETRY_MS;
      return this.local.take(request);
    }
  }
}
