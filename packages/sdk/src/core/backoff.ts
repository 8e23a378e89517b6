/** The settings of an exponential backoff. Everything that the SDK retries has one. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
  /**
   * The random part of the delay. `shortened`: 50 to 100 percent of the delay. `extended`: 100 to 150 percent, for a
   * delay that the server set as the minimum.
   */
  readonly jitter: 'shortened' | 'extended';
}

/**
 * Returns the delay before the next attempt.
 *
 * @param failures - consecutive failures before the last one; 0 after the first failure
 * @param random - at least 0 and less than 1
 */
export function backoffMs({ firstMs, maxMs, jitter }: Backoff, failures: number, random: number): number {
  const fullMs = Math.min(firstMs * 2 ** failures, maxMs);
  return fullMs * (jitter === 'shortened' ? 1 - random / 2 : 1 + random / 2);
}
