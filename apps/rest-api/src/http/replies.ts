/**
 * Every answer, of whatever origin, is JSON in the published envelope and carries `x-request-id`; a stream of events is
 * one once it has begun, and not before. The reference (`../reference`) alone has answers of other kinds.
 */
import type { OutgoingHttpHeaders } from 'node:http';
import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from '@nestjs/common';
import { DomainError } from '@trading-automation/contracts';
import { sendResponse, writeResponseHead } from '@trading-automation/runtime/http';
import type { FastifyReply } from 'fastify';
import { type EventStream, STREAM_HEADERS, sendEvents } from './event-stream.js';
import { type RenderedResponse, renderError } from './rendering.js';

/** The head at once, then the events as they come. */
export function sendStream(
  reply: FastifyReply,
  rendered: RenderedResponse,
  stream: EventStream,
  onError: (error: unknown) => void,
): void {
  writeResponseHead(reply, withHeaders(rendered, STREAM_HEADERS));
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
export function withHeaders(
  rendered: RenderedResponse,
  headers: Readonly<Record<string, string>>,
): RenderedResponse {
  return { ...rendered, headers: { ...rendered.headers, ...headers } };
}

/** What Nest itself refuses, before any operation is found. */
@Catch()
export class NestExceptionFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const refusal = error instanceof NotFoundException ? new DomainError('route_not_found') : error;
    sendResponse(reply, renderError(refusal, reply.request.id));
  }
}
