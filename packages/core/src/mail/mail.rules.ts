/**
 * When a mail is tried again. Pure.
 *
 * A mail has 16 answers of its server, over about two days; then it has failed. A server that can't be reached, or
 * does not let us in, has not answered: such a try costs the mail nothing.
 */

export const MAIL_ATTEMPTS_MAX = 16;
const FIRST_DELAY_MS = 60_000;
const DELAY_MAX_MS = 6 * 3_600_000;

/** The wait after refusal number `attempt` (1 and up); null where that was the last. */
export function mailRetryDelayMs(attempt: number): number | null {
  if (attempt >= MAIL_ATTEMPTS_MAX) return null;
  return Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), DELAY_MAX_MS);
}
