/**
 * Computes the retry schedule of mails. The functions are pure.
 *
 * A mail fails after the server has deferred it 16 times, which takes about two days. A server that is unreachable or
 * rejects our login has not seen the mail, so such an attempt does not count.
 */

import { type Backoff, backoffMs } from '@trading-automation/runtime/backoff';

export const MAIL_DEFERRALS_MAX = 16;
const MAIL_BACKOFF: Backoff = { firstMs: 60_000, maxMs: 6 * 3_600_000 };

/** Returns the delay in milliseconds after deferral number `deferral` (from 1); null after the last deferral. */
export function mailRetryDelayMs(deferral: number): number | null {
  if (deferral >= MAIL_DEFERRALS_MAX) return null;
  return backoffMs(MAIL_BACKOFF, deferral);
}
