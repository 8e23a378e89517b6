/**
 * The exponential backoff of the services. It has its own entry point, because `core` and `persistence` use nothing else
 * of the runtime.
 */
export interface Backoff {
  /** The delay after the first failure. It doubles with each further consecutive failure. */
  readonly firstMs: number;
  /** The longest delay. */
  readonly maxMs: number;
  /**
   * The fraction of the delay that is drawn at random, from 0 (default) to 1. It spreads the retries of many callers.
   */
  readonly jitter?: number;
}

/**
 * Returns the delay before the next attempt, in milliseconds.
 *
 * @param failures the number of consecutive failures, at least 1
 * @param random a number from 0 (the shortest delay that the jitter allows) to 1 (the full delay)
 */
export function backoffMs(
  { firstMs, maxMs, jitter = 0 }: Backoff,
  failures: number,
  random: number = Math.random(),
): number {
  const fullMs = Math.min(maxMs, firstMs * 2 ** Math.max(0, failures - 1));
  return fullMs * (1 - jitter + jitter * random);
}
