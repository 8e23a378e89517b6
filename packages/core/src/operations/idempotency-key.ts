/** `Idempotency-Key`: what a request has to carry to be answered once. */
import { createHash } from 'node:crypto';
import { DomainError } from '@trading-automation/contracts';

const KEY = /^[\x20-\x7e]{1,255}$/;

/** The key that the headers carry, or undefined where they carry none. @throws {DomainError} where it can't be one */
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
      message: 'Expected once, 1 to 255 printable ASCII characters.',
    },
  ]);
}

/** In whose name a key is kept for a caller who has no account yet: the public key that asks for one. */
export function anonymousUserId(body: unknown): string {
  const { pubkey } = (body ?? {}) as { pubkey?: unknown };
  const hex = createHash('sha256')
    .update(`stranger\n${String(pubkey)}`)
    .digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
