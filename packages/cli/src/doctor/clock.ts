/**
 * Estimates the error of the local clock from the `Date` header of a response.
 *
 * `Date` has a resolution of one second. The server wrote it after the request was sent and before the response
 * arrived. The estimate compares the middle of that second with the middle of the round trip. Its error is therefore at
 * most half a second plus half of the round trip.
 */
import { type Finding, fail, ok, warn } from './check.js';

/** Maximum error of a signature's timestamp. See the signed-request specification. */
const WINDOW_MS = 60_000;
const WARNING_MS = 10_000;

/** Returns the milliseconds by which the local clock is ahead of the server's; negative if it is behind. */
export function skewOf(dateHeader: string, sentAtMs: number, receivedAtMs: number): number {
  const serverMs = Date.parse(dateHeader) + 500;
  return Math.round((sentAtMs + receivedAtMs) / 2 - serverMs);
}

export function checkClock(skewMs: number, roundTripMs: number): Finding {
  const uncertaintyMs = 500 + roundTripMs / 2;
  const distanceMs = Math.abs(skewMs);
  const direction = skewMs > 0 ? 'ahead of' : 'behind';
  if (distanceMs <= uncertaintyMs) return ok('clock', "matches the server's clock to the second");
  const found = `${distanceMs} ms ${direction} the server's`;
  const resolution = "Synchronize this machine's clock with a time server (NTP).";
  if (distanceMs > WINDOW_MS)
    return fail(
      'clock',
      `${found}: signatures are rejected beyond ${WINDOW_MS} ms`,
      `${resolution} Until then, only svc and the SDK can sign: they use the server's time.`,
    );
  if (distanceMs > WARNING_MS)
    return warn('clock', `${found}: signatures are accepted up to ${WINDOW_MS} ms`, resolution);
  return ok('clock', `${found}: signatures are accepted up to ${WINDOW_MS} ms`);
}
