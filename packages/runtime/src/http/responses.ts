/** Sends JSON responses with the default headers and `x-request-id`. */
import { DomainError } from '@trading-automation/contracts';
import type { FastifyReply } from 'fastify';
import { toErrorResponse } from '../error-response.js';
import { DEFAULT_RESPONSE_HEADERS } from './headers.js';

export interface HttpResponse {
  readonly status: number;
  /** Headers in addition to the default ones. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The caller's rate limit now. It is never part of a stored response. */
  readonly rateLimit?: { readonly policy: string; readonly state: string };
}

/** Sends a response. */
export function sendResponse(reply: FastifyReply, response: HttpResponse): void {
  writeResponseHead(reply, response);
  if (response.status === 204) reply.removeHeader('content-type').send();
  else reply.send(response.body);
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
