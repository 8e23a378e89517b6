/**
 * Every answer, of whatever origin, is JSON in the published envelope and carries `x-request-id`; a stream of events is
 * one once it has begun, and not before. The reference (`../reference`) alone has answers of other kinds.
 */
import type { OutgoingHttpHeaders } from 'node:http';
import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from '@nestjs/common';
import { DomainError } from '@trading-automation/contracts';
import type { FastifyReply } from 'fastify';
import { type EventStream, STREAM_HEADERS, sendEvents } from './event-stream.js';
import { HEADERS_OF_EVERY_ANSWER, type Rendered, renderError } from './rendering.js';

/** Sends an answer as every answer is sent. */
export function send(reply: FastifyReply, rendered: Rendered): void {
  head(reply, rendered);
  if (rendered.status === 204) reply.removeHeader('content-type').send();
  else reply.send(rendered.body);
}

function head(reply: FastifyReply, { status, headers, rateLimit }: Rendered): void {
  reply
    .code(status)
    .headers(HEADERS_OF_EVERY_ANSWER)
    .header('x-request-id', reply.request.id)
    .headers({ ...headers });
  if (rateLimit !== undefined)
    reply.header('ratelimit-policy', rateLimit.policy).header('ratelimit', rateLimit.state);
}

/** The head at once, then the events as they come. */
export function sendStream(
  reply: FastifyReply,
  rendered: Rendered,
  stream: EventStream,
  onError: (error: unknown) => void,
): void {
  head(reply, withHeaders(rendered, STREAM_HEADERS));
  reply.hijack();
  reply.raw.writeHead(rendered.status, { ...reply.getHeaders() } as OutgoingHttpHeaders);
  reply.raw.flushHeaders();
  if (reply.request.method !== 'HEAD') {
    void sendEvents(reply.raw, stream, onError);
    return;
  }
  reply.raw.end();
  void stream.close();
}

/** The answer with these headers too, which win. */
export function withHeaders(rendered: Rendered, headers: Readonly<Record<string, string>>): Rendered {
  return { ...rendered, headers: { ...rendered.headers, ...headers } };
}

/** What Nest itself refuses, before any operation is found. */
@Catch()
export class NestRefusals implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const refusal = error instanceof NotFoundException ? new DomainError('route_not_found') : error;
    send(reply, renderError(refusal, reply.request.id));
  }
}
