/**
 * `Idempotency-Key`: what it takes for a request to be recognized, and the form in which its answer is kept.
 *
 * A kept answer is one line of JSON with its headers, then the body as it was sent.
 */
import { createHash } from 'node:crypto';
import { DomainError, type Operation } from '@trading-automation/contracts';
import { AnswerReplayed, requestFingerprint } from '@trading-automation/core';
import type { IncomingRequest } from '@trading-automation/core/access';
import type { Rendered } from './rendering.js';
import { pathOf } from './route-table.js';

const KEY = /^[\x20-\x7e]{1,255}$/;

type KeptAnswer = AnswerReplayed['answer'];

/** The key of a request, or undefined where it carries none. @throws {DomainError} where it can't be one */
export function idempotencyKeyOf(operation: Operation, rawHeaders: readonly string[]): string | undefined {
  if (operation.method !== 'POST') return undefined;
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

/** What makes this request the same as another one. The path counts as sent: an alias is a request of its own. */
export function fingerprintOf({ method, target, body }: IncomingRequest): Uint8Array {
  const path = pathOf(target);
  return requestFingerprint({ method, path, query: target.slice(path.length), body });
}

/** In whose name a key is kept for a caller who has no account yet: the public key that asks for one. */
export function userIdOfStranger(body: unknown): string {
  const { pubkey } = (body ?? {}) as { pubkey?: unknown };
  const hex = createHash('sha256')
    .update(`stranger\n${String(pubkey)}`)
    .digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

export function keep({ status, headers, body }: Rendered): KeptAnswer {
  return { status, body: Buffer.from(`${JSON.stringify(headers)}\n${body}`) };
}

export function replayed({ status, body }: KeptAnswer): Rendered {
  const text = Buffer.from(body).toString();
  const end = text.indexOf('\n');
  const headers: Record<string, string> = JSON.parse(text.slice(0, end));
  return { status, headers: { ...headers, 'idempotency-replayed': 'true' }, body: text.slice(end + 1) };
}
