/** The settings of an exponential backoff. Everything that the SDK retries has one. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
  /**
   * Whether a random part of up to half the delay is subtracted from it or added to it. `added` is for a delay that the
   * server set as the minimum.
   */
  readonly jitter: 'subtracted' | 'added';
}

/**
 * Returns the delay before the next attempt.
 *
 * @param previousFailures - number of consecutive failures before the last one: 0 after the first failure
 * @param random - at least 0 and less than 1
 */
export function backoffMs(
  { firstMs, maxMs, jitter }: Backoff,
  previousFailures: number,
  random: number,
): number {
  const fullMs = Math.min(firstMs * 2 ** previousFailures, maxMs);
  return fullMs * (jitter === 'subtracted' ? 1 - random / 2 : 1 + random / 2);
}
