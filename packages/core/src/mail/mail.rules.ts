/**
 * Computes the retry schedule of mails. The functions are pure.
 *
 * A mail fails after the server deferred it 16 times, over about two days. A server that is unreachable or rejects
 * our login has not seen the mail, so such an attempt does not count.
 */

import { type Backoff, backoffMs } from '@trading-automation/runtime/backoff';

export const MAIL_ATTEMPTS_MAX = 16;
const MAIL_BACKOFF: Backoff = { firstMs: 60_000, maxMs: 6 * 3_600_000 };

/** Returns the delay after deferral number `attempt` (from 1); null after the last. */
export function mailRetryDelayMs(attempt: number): number | null {
  if (attempt >= MAIL_ATTEMPTS_MAX) return null;
  return backoffMs(MAIL_BACKOFF, attempt);
}
