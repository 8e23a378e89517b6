/**
 * Computes the fingerprint of an operation for its Idempotency-Key. The fingerprint does not depend on the transport.
 *
 * 1. Operations with the same document and equal variables have the same fingerprint, regardless of the order and
 *    formatting of their JSON. A request that was lost over HTTP can therefore be retried over a socket, and vice versa.
 * 2. Numbers are compared by all of their digits. A number never equals a string.
 * 3. The operation name is not included, because a document has one operation. Extensions are not included, because
 *    they do not affect the execution. A persisted query has the fingerprint of its document.
 */
import { DomainError, JsonNumber } from '@trading-automation/contracts';
import { parseIdempotencyKey, requestFingerprint } from '@trading-automation/core';
import type { RequestContext } from '../graphql/context.js';
import { GRAPHQL_PATH } from './endpoint-options.js';

interface OperationText {
  readonly query: string;
  readonly variables?: unknown;
}

export function fingerprintOf({ query, variables }: OperationText): Uint8Array {
  const body = Buffer.from(canonical([query, variables ?? {}]));
  return requestFingerprint({ method: 'POST', path: GRAPHQL_PATH, query: '', body });
}

/**
 * Returns the Idempotency-Key of a mutation over a socket. The key is in the extensions of the mutation.
 *
 * @throws {DomainError} if the key is invalid
 */
export function idempotencyOf(
  mutation: OperationText & { readonly extensions?: unknown },
): RequestContext['idempotency'] {
  const { idempotencyKey } = (mutation.extensions ?? {}) as { readonly idempotencyKey?: unknown };
  if (idempotencyKey === undefined) return undefined;
  return { key: validKey(idempotencyKey), fingerprint: fingerprintOf(mutation) };
}

/** Validates a key like the Idempotency-Key header: removes surrounding spaces and rejects an empty key. */
function validKey(key: unknown): string {
  const read = (value: string) => parseIdempotencyKey(['idempotency-key', value])!;
  try {
    return read(read(typeof key === 'string' ? key : '').trim());
  } catch {
    throw new DomainError('validation_failed', undefined, [
      {
        field: 'extensions.idempotencyKey',
        code: 'invalid',
        message: 'Expected 1 to 255 printable ASCII characters.',
      },
    ]);
  }
}

/** Returns JSON with sorted keys. */
function canonical(value: unknown): string {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.join()}}`;
}
