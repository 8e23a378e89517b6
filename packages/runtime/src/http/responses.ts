/** Answers as they go out: JSON, with the headers of every answer and `x-request-id`. */
import type { FastifyReply } from 'fastify';
import { toErrorResponse } from '../error-response.js';
import { DEFAULT_RESPONSE_HEADERS } from './headers.js';

export interface HttpResponse {
  readonly status: number;
  /** Those of this answer alone; what every answer has is added when it is sent. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How the caller stands with its limits: of this answer's own moment, never kept with it. */
  readonly rateLimit?: { readonly policy: string; readonly state: string };
}

/** Sends an answer as every answer is sent. */
export function sendResponse(reply: FastifyReply, answer: HttpResponse): void {
  writeResponseHead(reply, answer);
  if (answer.status === 204) reply.removeHeader('content-type').send();
  else reply.send(answer.body);
}

/** Status and headers, without the body. */
export function writeResponseHead(reply: FastifyReply, { status, headers, rateLimit }: HttpResponse): void {
  reply
    .code(status)
    .headers(DEFAULT_RESPONSE_HEADERS)
    .header('x-request-id', reply.request.id)
    .headers({ ...headers });
  if (rateLimit !== undefined)
    reply.header('ratelimit-policy', rateLimit.policy).header('ratelimit', rateLimit.state);
}

/** A refusal or a fault in the published envelope. */
export function errorResponse(error: unknown, requestId: string): HttpResponse {
  const { status, headers, body } = toErrorResponse(error, requestId);
  return { status, headers, body: JSON.stringify(body) };
}
