/**
 * Sends responses. Every response has an `x-request-id` and a JSON body in the published envelope. The only exceptions
 * are event streams that have started, and the pages of the reference (`../reference`).
 */
import type { OutgoingHttpHeaders } from 'node:http';
import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from '@nestjs/common';
import { DomainError } from '@trading-automation/contracts';
import { sendResponse, writeResponseHead } from '@trading-automation/runtime/http';
import type { FastifyReply } from 'fastify';
import { type EventStream, STREAM_HEADERS, sendEvents } from './event-stream.js';
import { type RenderedResponse, renderError, withHeaders } from './rendering.js';

/** Sends the response head immediately, then the events as they occur. */
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

/** Renders errors that Nest raises before a request reaches an operation. */
@Catch()
export class NestExceptionFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const mapped = error instanceof NotFoundException ? new DomainError('route_not_found') : error;
    sendResponse(reply, renderError(mapped, reply.request.id));
  }
}
