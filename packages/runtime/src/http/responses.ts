/**
 * Sends JSON responses with the default headers and `x-request-id`.
 *
 * 1. A response over 1 KiB is compressed if the client accepts gzip. A response that contains a secret is not: its length
 *    would depend on how much of the secret the request repeats (the BREACH attack).
 * 2. A response with an entity tag that the client already has becomes a 304. Its rate-limit headers are sent.
 */
import { gzip } from 'node:zlib';
import { DomainError } from '@trading-automation/contracts';
import type { FastifyReply } from 'fastify';
import { toErrorResponse } from '../error-response.js';
import { DEFAULT_RESPONSE_HEADERS } from './headers.js';
import { acceptsGzip, matchesEtag, weakEtag } from './negotiation.js';

export interface HttpResponse {
  readonly status: number;
  /** Headers in addition to the default ones. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The caller's rate limit now. It is never part of a stored response. */
  readonly rateLimit?: { readonly policy: string; readonly state: string };
  /** Whether the body contains a secret, and is therefore never compressed and has no entity tag. */
  readonly isSecret?: boolean;
  /** Whether the body is a record that a client may ask for again with If-None-Match. */
  readonly isRevalidated?: boolean;
}

const COMPRESSED_ABOVE_BYTES = 1_024;

/** Sends a response. */
export function sendResponse(reply: FastifyReply, response: HttpResponse): void {
  const { status, body, isSecret = false, isRevalidated = false } = response;
  writeResponseHead(reply, response);
  if (status === 204) return void reply.removeHeader('content-type').send();
  if (isSecret) return void reply.send(body);
  const { headers } = reply.request;
  const isCompressible = Buffer.byteLength(body) > COMPRESSED_ABOVE_BYTES;
  if (isCompressible)
    reply.header('vary', [reply.getHeader('vary'), 'Accept-Encoding'].filter(Boolean).join(', '));
  if (isRevalidated && status === 200) {
    const etag = weakEtag(body);
    reply.header('etag', etag);
    if (matchesEtag(headers['if-none-match'], etag))
      return void reply.code(304).removeHeader('content-type').send();
  }
  if (isCompressible && acceptsGzip(headers['accept-encoding'])) sendCompressed(reply, body);
  else reply.send(body);
}

function sendCompressed(reply: FastifyReply, body: string): void {
  gzip(body, (error, compressed) => {
    if (error === null) reply.header('content-encoding', 'gzip').send(compressed);
    else reply.send(body);
  });
}

/** Writes the status and the headers. */
export function writeResponseHead(reply: FastifyReply, { status, headers, rateLimit }: HttpResponse): void {
  reply
    .code(status)
    .headers(DEFAULT_RESPONSE_HEADERS)
    .header('x-request-id', reply.request.id)
    .headers({ ...headers });
  if (rateLimit !== undefined)
    reply.header('ratelimit-policy', rateLimit.policy).header('ratelimit', rateLimit.state);
}

/** Returns a signal that is aborted if the client disconnects before the response is complete. */
export function disconnectSignal({ raw: response }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(disconnected());
  });
  if (response.destroyed) controller.abort(disconnected());
  return controller.signal;
}

const disconnected = () =>
  new DomainError('invalid_state', 'The client disconnected before the response was complete.');

/** Builds an error response in the published format. */
export function errorResponse(error: unknown, requestId: string): HttpResponse {
  const { status, headers, body } = toErrorResponse(error, requestId);
  return { status, headers, body: JSON.stringify(body) };
}
