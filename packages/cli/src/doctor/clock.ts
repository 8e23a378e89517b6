/**
 * How far this machine's clock is off, by the `Date` of an answer.
 *
 * `Date` has whole seconds and was written somewhere between asking and reading: what is told is the middle, which is
 * at most half a second and half of the round trip off.
 */
import { type Finding, fail, ok, warn } from './check.js';

/** How far off a signature's time may be. Source: the signed-request specification. */
const WINDOW_MS = 60_000;
const NOTICED_MS = 10_000;

/** Milliseconds that this machine's clock is ahead of the server's; negative where it is behind. */
export function skewOf(dateHeader: string, askedAtMs: number, answeredAtMs: number): number {
  const serverMs = Date.parse(dateHeader) + 500;
  return Math.round((askedAtMs + answeredAtMs) / 2 - serverMs);
}

export function judgeClock(skewMs: number, roundTripMs: number): Finding {
  const uncertainMs = 500 + roundTripMs / 2;
  const distanceMs = Math.abs(skewMs);
  const direction = skewMs > 0 ? 'ahead of' : 'behind';
  if (distanceMs <= uncertainMs) return ok('clock', "agrees with the server's to the second");
  const found = `${distanceMs} ms ${direction} the server's`;
  const resolution = "Set this machine's clock by a time server (NTP).";
  if (distanceMs > WINDOW_MS)
    return fail(
      'clock',
      `${found}: signatures are refused beyond ${WINDOW_MS} ms`,
      `${resolution} svc and the SDK sign by the server's time until then; other clients can't.`,
    );
  if (distanceMs > NOTICED_MS)
    return warn('clock', `${found}: signatures still pass, up to ${WINDOW_MS} ms`, resolution);
  return ok('clock', `${found}: signatures pass, up to ${WINDOW_MS} ms`);
}
