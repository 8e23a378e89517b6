/**
 * What an Idempotency-Key is held against: the operation, whichever way it came.
 *
 * 1. The same are two operations with one document and equal variables, over HTTP or a socket, whatever the order and the
 *    spelling of their JSON: what was lost on one way can be repeated on the other.
 * 2. Numbers are compared by all of their digits, and a number is no string.
 * 3. The operation's name is no part of it, since a document has one operation; nor are extensions, which change nothing
 *    of what is executed. A document that was asked for by its hash is that document.
 */
import { DomainError, JsonNumber } from '@trading-automation/contracts';
import { parseIdempotencyKey, requestFingerprint } from '@trading-automation/core';
import type { RequestContext } from '../graphql/context.js';
import { GRAPHQL_PATH } from './endpoint-context.js';

interface OperationText {
  readonly query: string;
  readonly variables?: unknown;
}

export function fingerprintOf({ query, variables }: OperationText): Uint8Array {
  const body = Buffer.from(canonical([query, variables ?? {}]));
  return requestFingerprint({ method: 'POST', path: GRAPHQL_PATH, query: '', body });
}

/** A mutation over a socket has its key among its extensions. @throws {DomainError} where it can't be one */
export function idempotencyOf(
  mutation: OperationText & { readonly extensions?: unknown },
): RequestContext['idempotency'] {
  const { idempotencyKey } = (mutation.extensions ?? {}) as { readonly idempotencyKey?: unknown };
  if (idempotencyKey === undefined) return undefined;
  return { key: checked(idempotencyKey), fingerprint: fingerprintOf(mutation) };
}

/** The key as the header would carry it: spaces around it are lost there, and something is left. */
function checked(key: unknown): string {
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

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.join()}}`;
}
