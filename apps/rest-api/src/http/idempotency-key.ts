/**
 * Computes the fingerprint of a request with an Idempotency-Key, and converts its stored response.
 *
 * The bytes of a stored response are one line of JSON with its headers, then the body as it was sent.
 */
import { type ResponseReplayed, requestFingerprint } from '@trading-automation/core';
import type { IncomingRequest } from '@trading-automation/core/access';
import type { RenderedResponse } from './rendering.js';
import { pathOf } from './route-table.js';

type StoredResponse = ResponseReplayed['response'];

/** Returns a hash that is the same for equal requests. It includes the path as sent, so `/v1/x` and `/x` differ. */
export function fingerprintOf({ method, target, body }: IncomingRequest): Uint8Array {
  const path = pathOf(target);
  return requestFingerprint({ method, path, query: target.slice(path.length), body });
}

export function toStoredResponse({ status, headers, body }: RenderedResponse): StoredResponse {
  return { status, body: Buffer.from(`${JSON.stringify(headers)}\n${body}`) };
}

export function fromStoredResponse({ status, body }: StoredResponse): RenderedResponse {
  const text = Buffer.from(body).toString();
  const end = text.indexOf('\n');
  const headers: Record<string, string> = JSON.parse(text.slice(0, end));
  return { status, headers: { ...headers, 'idempotency-replayed': 'true' }, body: text.slice(end + 1) };
}
