/** Codes by time (RFC 6238) as authenticator apps expect them: SHA-1, six digits, thirty seconds. */
import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

const CODE = /^[0-9]{6}$/;
const SECRET_BYTES = 20;
const PERIOD_SECONDS = 30;
/** Clocks of telephones are a step away at most. */
const WINDOW = 1;
const FORM = { algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS } as const;

export function generateTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** What an authenticator app reads, and the secret in it for whoever types it. */
export function describeTotp(
  secret: Uint8Array,
  names: { readonly issuer: string; readonly label: string },
): { readonly uri: string; readonly secret: string } {
  const totp = new TOTP({ ...FORM, ...names, secret: secretOf(secret) });
  return { uri: totp.toString(), secret: totp.secret.base32 };
}

export function isTotpCode(text: string): boolean {
  return CODE.test(text);
}

/** The step of time that the code is of, where it is one that is accepted now; else null. */
export function stepOfCode(secret: Uint8Array, code: string, nowMs: number): number | null {
  // The library takes any six characters, and fails for those that are more bytes.
  if (!isTotpCode(code)) return null;
  const delta = TOTP.validate({
    ...FORM,
    secret: secretOf(secret),
    token: code,
    timestamp: nowMs,
    window: WINDOW,
  });
  return delta === null ? null : Math.floor(nowMs / 1000 / PERIOD_SECONDS) + delta;
}

/** Copied: what the library keeps is a whole buffer, and a small one of Node shares its own. */
function secretOf(secret: Uint8Array): Secret {
  return new Secret({ buffer: new Uint8Array(secret).buffer });
}
