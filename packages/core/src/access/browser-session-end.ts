/** When a browser session ends, as SQL over a row of `browser_sessions`. */
import { BROWSER_SESSION_IDLE_MINUTES } from '@trading-automation/contracts';

/** The time without use after which a session ends. */
export const IDLE = `interval '${BROWSER_SESSION_IDLE_MINUTES} minutes'`;

/** Why the session has ended: REVOKED, EXPIRED or IDLE; null while it is open. */
export const END_OF_SESSION = `CASE WHEN revoked_at IS NOT NULL THEN 'REVOKED'
  WHEN expires_at <= clock_timestamp() THEN 'EXPIRED'
  WHEN last_used_at + ${IDLE} <= clock_timestamp() THEN 'IDLE' END`;

/** Whether the session is open. */
export const IS_OPEN = `revoked_at IS NULL AND expires_at > clock_timestamp()
  AND last_used_at + ${IDLE} > clock_timestamp()`;
