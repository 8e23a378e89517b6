/** Reads the `Idempotency-Key` header. */
import { createHash } from 'node:crypto';
import { DomainError } from '@trading-automation/contracts';

const KEY = /^[\x20-\x7e]{1,255}$/;

/** Returns the key; undefined if the headers contain none. @throws {DomainError} if the key is malformed */
export function parseIdempotencyKey(rawHeaders: readonly string[]): string | undefined {
  const keys = rawHeaders.filter(
    (_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === 'idempotency-key',
  );
  const [key] = keys;
  if (key === undefined) return undefined;
  if (keys.length === 1 && KEY.test(key)) return key;
  throw new DomainError('validation_failed', undefined, [
    {
      field: 'Idempotency-Key',
      code: 'invalid',
      message: 'Idempotency-Key must occur once, with 1 to 255 printable ASCII characters.',
    },
  ]);
}

/**
 * Derives a user id from the public key in a request body. The Idempotency-Key of a caller without an account is stored
 * under this user id.
 */
export function anonymousUserId(body: unknown): string {
  const { pubkey } = (body ?? {}) as { pubkey?: unknown };
  const hex = createHash('sha256')
    .update(`stranger\n${String(pubkey)}`)
    .digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
