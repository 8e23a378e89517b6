/**
 * Before the body of a request is read, rejects the request if it has no route, and responds to CORS preflights. The
 * errors have the published format.
 */
import { DomainError } from '@trading-automation/contracts';
import {
  discardRest,
  errorResponse,
  preflightHeaders,
  sendResponse,
  targetOf,
} from '@trading-automation/runtime/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const METHODS = ['GET', 'HEAD', 'POST'] as const;
/** The router would interpret other characters as a pattern. */
const PLAIN_PATH = /^[\w./-]+$/;

export function registerNotFound(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (request.is404) sendNotFound(server, request, reply);
    else done();
  });
}

/** Responds with 404 or 405, or with 204 to OPTIONS. Also called if the path equals a route only after decoding. */
export function sendNotFound(server: FastifyInstance, request: FastifyRequest, reply: FastifyReply): void {
  discardRest(request.raw);
  const url = pathOf(request);
  const methods = PLAIN_PATH.test(url) ? METHODS.filter((method) => server.hasRoute({ method, url })) : [];
  const allow = { allow: [...methods, 'OPTIONS'].join(', ') };
  if (methods.length === 0) {
    sendResponse(reply, errorResponse(new DomainError('route_not_found'), request.id));
  } else if (request.method === 'OPTIONS') {
    const corsHeaders = isAllowedPreflight(request, reply) ? preflightHeaders(methods) : {};
    sendResponse(reply, { status: 204, headers: { ...allow, ...corsHeaders }, body: '' });
  } else {
    sendResponse(reply, {
      ...errorResponse(new DomainError('method_not_allowed'), request.id),
      headers: allow,
    });
  }
}

/** Returns the path of a request as it was sent. */
export function pathOf(request: FastifyRequest): string {
  const target = targetOf(request);
  const at = target.indexOf('?');
  return at < 0 ? target : target.slice(0, at);
}

function isAllowedPreflight(request: FastifyRequest, reply: FastifyReply): boolean {
  return (
    request.headers['access-control-request-method'] !== undefined &&
    reply.hasHeader('access-control-allow-origin')
  );
}
