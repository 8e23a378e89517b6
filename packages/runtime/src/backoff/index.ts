/**
 * The exponential backoff of the services. It has its own entry point, because `core` and `persistence` use nothing else
 * of the runtime.
 */
export interface Backoff {
  /** The delay after the first failure; it doubles with each consecutive failure. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** The part of the delay that is random, from 0 (default) to 1, so that retries of many callers spread out. */
  readonly jitter?: number;
}

/**
 * Returns the delay before the next attempt.
 *
 * @param failures - consecutive failures, from 1
 * @param random - from 0 (the shortest delay that the jitter allows) to 1 (the full delay)
 */
export function backoffMs(
  { firstMs, maxMs, jitter = 0 }: Backoff,
  failures: number,
  random: number = Math.random(),
): number {
  const fullMs = Math.min(maxMs, firstMs * 2 ** Math.max(0, failures - 1));
  return fullMs * (1 - jitter + jitter * random);
}
