/**
 * Generates the secrets of time-based codes (RFC 6238) and checks the codes. Uses the parameters that authenticator
 * apps expect: SHA-1, six digits, time steps of thirty seconds.
 */
import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

const CODE_FORMAT = /^[0-9]{6}$/;
const SECRET_BYTES = 20;
const PERIOD_SECONDS = 30;
/** Codes of one step before and one step after the current one are accepted, because a phone's clock may be off. */
const WINDOW_STEPS = 1;
const OPTIONS = { algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS } as const;

export function generateTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** Returns the URI for an authenticator app, and the secret for manual entry. */
export function describeTotp(
  secret: Uint8Array,
  names: { readonly issuer: string; readonly label: string },
): { readonly uri: string; readonly secret: string } {
  const totp = new TOTP({ ...OPTIONS, ...names, secret: copySecret(secret) });
  return { uri: totp.toString(), secret: totp.secret.base32 };
}

export function isTotpCode(text: string): boolean {
  return CODE_FORMAT.test(text);
}

/** Returns the time step of a code that is accepted now; null for any other code. */
export function stepOfCode(secret: Uint8Array, code: string, nowMs: number): number | null {
  // The library accepts any six characters, and throws for multi-byte characters.
  if (!isTotpCode(code)) return null;
  const delta = TOTP.validate({
    ...OPTIONS,
    secret: copySecret(secret),
    token: code,
    timestamp: nowMs,
    window: WINDOW_STEPS,
  });
  return delta === null ? null : Math.floor(nowMs / 1000 / PERIOD_SECONDS) + delta;
}

/** Copies the secret: the library stores the whole underlying buffer, and Node pools small buffers. */
function copySecret(secret: Uint8Array): Secret {
  return new Secret({ buffer: new Uint8Array(secret).buffer });
}
