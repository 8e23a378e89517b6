/**
 * Registers the operations as routes of the server, at their paths and at their legacy aliases.
 *
 * 1. A request that matches no operation is rejected before its body is read.
 * 2. The target as sent, the headers and the body reach the signature verifier exactly as they were sent.
 */
import { DomainError } from '@trading-automation/contracts';
import type { Logger } from '@trading-automation/runtime';
import {
  bodyRefusal,
  discardRest,
  disconnectSignal,
  incomingOf,
  preflightHeaders,
  recordWhenSent,
  sendResponse,
  TARGET_LENGTH_MAX,
  targetOf,
} from '@trading-automation/runtime/http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OperationHandler, ReceivedRequest } from './operation-handler.js';
import { logError, type RenderedResponse, renderError, withHeaders } from './rendering.js';
import { sendStream } from './replies.js';
import { aliasHeaders, pathOf, pathsOf, type RoutePath, RouteTable } from './route-table.js';

/** Registers the operations on the server, at their paths and at their legacy aliases. */
export function serveOperations(
  server: FastifyInstance,
  handlers: readonly OperationHandler[],
  logger: Logger,
): void {
  const routes = new RouteTable(handlers.map(({ operation }) => operation));
  const reject = (request: FastifyRequest, reply: FastifyReply) => sendNotFound(routes, request, reply);
  server.addHook('onRequest', (request, reply, done) => (request.is404 ? reject(request, reply) : done()));
  for (const handler of handlers) {
    for (const path of pathsOf(handler.operation)) serveAt({ server, path, handler, reject, logger });
  }
}

function sendNotFound(routes: RouteTable, request: FastifyRequest, reply: FastifyReply): void {
  discardRest(request.raw);
  const target = targetOf(request);
  const { error, headers } = routes.errorFor(target);
  if (request.method === 'OPTIONS' && target === '*') {
    sendResponse(reply, { status: 204, headers: { allow: routes.allMethods() }, body: '' });
  } else if (request.method === 'OPTIONS' && headers.allow !== undefined) {
    const corsHeaders = isAllowedPreflight(request, reply)
      ? preflightHeaders(routes.allowed(pathOf(target)))
      : {};
    sendResponse(reply, { status: 204, headers: { ...headers, ...corsHeaders }, body: '' });
  } else {
    sendResponse(reply, withHeaders(renderError(error, request.id), headers));
  }
}

function isAllowedPreflight(request: FastifyRequest, reply: FastifyReply): boolean {
  return (
    request.headers['access-control-request-method'] !== undefined &&
    reply.hasHeader('access-control-allow-origin')
  );
}

interface ServedPath {
  readonly server: FastifyInstance;
  readonly path: RoutePath;
  readonly handler: OperationHandler;
  /** Rejects a request whose raw path does not match `path`, for example because Fastify decoded it to match. */
  readonly reject: (request: FastifyRequest, reply: FastifyReply) => void;
  readonly logger: Logger;
}

function serveAt({ server, path, handler, reject, logger }: ServedPath): void {
  const respond = (request: FastifyRequest, reply: FastifyReply, rendered: RenderedResponse) => {
    const response = path.isAlias ? withHeaders(rendered, aliasHeaders(pathOf(targetOf(request)))) : rendered;
    const context = { request_id: request.id, operation: handler.operation.id };
    if (response.stream === undefined) sendResponse(reply, response);
    else sendStream(reply, response, response.stream, (error) => logError(logger, error, context));
  };
  server.route({
    method: handler.operation.method,
    url: path.path,
    onRequest: (request, reply, done) => {
      const target = targetOf(request);
      if (path.match(pathOf(target)) === null) return reject(request, reply);
      if (target.length > TARGET_LENGTH_MAX)
        return respond(request, reply, renderError(targetTooLong(), request.id));
      // Without a content type, Fastify reads the body as bytes. The handler checks the content type later, after the
      // credentials, in the raw headers.
      delete request.raw.headers['content-type'];
      done();
    },
    errorHandler: (error: FastifyError, request, reply) => {
      const bodyError = bodyRefusal(error);
      logError(logger, bodyError, { request_id: request.id, operation: handler.operation.id });
      reply.removeHeader('connection');
      discardRest(request.raw);
      respond(request, reply, renderError(bodyError, request.id));
    },
    handler: async (request, reply) => {
      const { caller, ...rendered } = await handler.handle(receivedFrom(request, reply, path));
      respond(request, reply, rendered);
      recordWhenSent(reply, caller);
      return reply;
    },
  });
}

function receivedFrom(request: FastifyRequest, reply: FastifyReply, path: RoutePath): ReceivedRequest {
  const incoming = incomingOf(request);
  return {
    ...incoming,
    requestId: request.id,
    params: path.match(pathOf(incoming.target)) ?? {},
    disconnected: () => disconnectSignal(reply),
  };
}

function targetTooLong(): DomainError {
  return new DomainError(
    'invalid_query',
    `The request target exceeds ${TARGET_LENGTH_MAX} bytes. Shorten the path or the query string.`,
  );
}
