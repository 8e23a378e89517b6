/** Answers as they go out: JSON, with the headers of every answer and `x-request-id`. */
import type { FastifyReply } from 'fastify';
import { answerError } from '../errors.js';
import { HEADERS_OF_EVERY_ANSWER } from './headers.js';

export interface PlainAnswer {
  readonly status: number;
  /** Those of this answer alone; what every answer has is added when it is sent. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How the caller stands with its limits: of this answer's own moment, never kept with it. */
  readonly rateLimit?: { readonly policy: string; readonly state: string };
}

/** Sends an answer as every answer is sent. */
export function sendAnswer(reply: FastifyReply, answer: PlainAnswer): void {
  headAnswer(reply, answer);
  if (answer.status === 204) reply.removeHeader('content-type').send();
  else reply.send(answer.body);
}

/** Status and headers, without the body. */
export function headAnswer(reply: FastifyReply, { status, headers, rateLimit }: PlainAnswer): void {
  reply
    .code(status)
    .headers(HEADERS_OF_EVERY_ANSWER)
    .header('x-request-id', reply.request.id)
    .headers({ ...headers });
  if (rateLimit !== undefined)
    reply.header('ratelimit-policy', rateLimit.policy).header('ratelimit', rateLimit.state);
}

/** A refusal or a fault in the published envelope. */
export function errorAnswer(error: unknown, requestId: string): PlainAnswer {
  const { status, headers, body } = answerError(error, requestId);
  return { status, headers, body: JSON.stringify(body) };
}
