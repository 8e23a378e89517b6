import { createHmac } from 'node:crypto';

/** Returns the HMAC-SHA-256 of a string, for logins that do not go through ccxt. */
export function hmacSha256(text: string, secret: string, encoding: 'hex' | 'base64'): string {
  return createHmac('sha256', secret).update(text).digest(encoding);
}
