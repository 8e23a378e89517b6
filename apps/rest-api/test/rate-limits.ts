import { RATE_POLICIES, type RateLimits } from '@trading-automation/core/access';

/** A limit that only tests of rate limits reach. */
export const AMPLE_RATE_LIMITS: RateLimits = limitsOf({ requests: 1_000_000, seconds: 60 });

/** Returns rate limits: `limits` for the policies that it contains, and `others` for all other policies. */
export function limitsOf(others: RateLimits['general'], limits: Partial<RateLimits> = {}): RateLimits {
  const all = Object.fromEntries(RATE_POLICIES.map((name) => [name, others])) as RateLimits;
  return { ...all, ...limits };
}
