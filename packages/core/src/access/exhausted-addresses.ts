import type { RatePolicy } from './rate-limits.js';

/** Beyond this number, the process forgets all addresses and asks Redis again. */
const ADDRESSES_MAX = 100_000;

/** Addresses whose general bucket this process found empty, until the bucket has a token again. */
export class ExhaustedAddresses {
  private readonly entries = new Map<string, { fullAtMs: number; nextTokenAtMs: number }>();

  constructor(private readonly addressesMax = ADDRESSES_MAX) {}

  record(address: string, policy: RatePolicy, untilFullUs: number): void {
    if (!isEmpty(policy, untilFullUs)) return;
    if (this.entries.size >= this.addressesMax) this.entries.clear();
    const fullAtMs = performance.now() + untilFullUs / 1_000;
    this.entries.set(address, {
      fullAtMs,
      nextTokenAtMs: fullAtMs - (policy.capacityUs - policy.intervalUs) / 1_000,
    });
  }

  /** Returns the microseconds until the bucket is full; null if it may have a token. */
  untilFullUs(address: string, policy: RatePolicy): number | null {
    if (this.entries.size === 0) return null;
    const entry = this.entries.get(address);
    if (entry === undefined) return null;
    const nowMs = performance.now();
    if (nowMs < entry.nextTokenAtMs) return Math.min(policy.capacityUs, (entry.fullAtMs - nowMs) * 1_000);
    this.entries.delete(address);
    return null;
  }
}

/** Returns whether a bucket that is full in `untilFullUs` microseconds has no token. */
export const isEmpty = ({ intervalUs, capacityUs }: RatePolicy, untilFullUs: number) =>
  untilFullUs + intervalUs > capacityUs;
