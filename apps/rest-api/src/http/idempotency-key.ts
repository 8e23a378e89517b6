/** Computes the fingerprint of a request with an Idempotency-Key, and reads responses that the previous release stored. */
import { type RequestIdempotency, type ResponseReplayed, requestFingerprint } from '@trading-automation/core';
import type { IncomingRequest } from '@trading-automation/core/access';
import type { RenderedResponse } from './rendering.js';
import { aliasOf, pathOf, versionedPath } from './route-table.js';

/**
 * Returns the fingerprints of a request, which are the same for equal requests. A path and its legacy alias are the same
 * route, so a request can be repeated at either.
 */
export function fingerprintsOf({
  method,
  target,
  body,
}: Pick<IncomingRequest, 'method' | 'target' | 'body'>): Pick<
  RequestIdempotency,
  'fingerprint' | 'formerFingerprint'
> {
  const path = pathOf(target);
  const query = target.slice(path.length);
  return {
    fingerprint: requestFingerprint({ method, path: versionedPath(path), query, body }),
    formerFingerprint: requestFingerprint({ method, path: aliasOf(path), query, body }),
  };
}

/**
 * Reads a response that the previous release stored: one line of JSON with its headers, then the body as it was sent. An
 * error gets the id of the current request. Remove it in the release after the next one; stored responses live for 24 hours.
 */
export function fromFormerResponse(
  { status, body }: ResponseReplayed['response'],
  requestId: string,
): RenderedResponse {
  const text = Buffer.from(body).toString();
  const end = text.indexOf('\n');
  const headers: Record<string, string> = JSON.parse(text.slice(0, end));
  const formerBody = text.slice(end + 1);
  if (status < 400) return { status, headers, body: formerBody };
  const ending = `"request_id":${JSON.stringify(requestId)}}}`;
  return { status, headers, body: formerBody.replace(/"request_id":"[^"]*"\}\}$/, () => ending) };
}
