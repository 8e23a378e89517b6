import { RATE_POLICIES, type RateLimits } from '@trading-automation/core/access';

/** What no test reaches that is not about limits. */
export const AMPLE_RATE_LIMITS: RateLimits = limitsOf({ requests: 1_000_000, seconds: 60 });

/** These limits, and for all others the same one. */
export function limitsOf(others: RateLimits['general'], limits: Partial<RateLimits> = {}): RateLimits {
  const all = Object.fromEntries(RATE_POLICIES.map((name) => [name, others])) as RateLimits;
  return { ...all, ...limits };
}
