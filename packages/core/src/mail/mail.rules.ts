/**
 * Computes the retry schedule of mails. The functions are pure.
 *
 * A mail fails after the server deferred it 16 times, over about two days. A server that is unreachable or rejects
 * our login has not seen the mail, so such an attempt does not count.
 */

export const MAIL_ATTEMPTS_MAX = 16;
const FIRST_DELAY_MS = 60_000;
const DELAY_MAX_MS = 6 * 3_600_000;

/** Returns the delay after deferral number `attempt` (from 1); null after the last. */
export function mailRetryDelayMs(attempt: number): number | null {
  if (attempt >= MAIL_ATTEMPTS_MAX) return null;
  return Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), DELAY_MAX_MS);
}
