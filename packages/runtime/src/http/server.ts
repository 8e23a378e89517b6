/**
 * The HTTP server: Fastify under Nest, with the published limits.
 *
 * 1. Headers and body are not changed, and the target is kept as it was sent, because the signature verifier needs the exact
 *    bytes. Requests are routed by the target in normal form.
 * 2. Invalid HTTP and requests that are too slow get an error in the published format, too.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { DomainError } from '@trading-automation/contracts';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hostProblem, routedTarget } from '../request-target/index.js';
import { Cors, type CorsOrigins } from './cors.js';
import { endConnectionsOnClose } from './end-connections.js';
import { DEFAULT_RESPONSE_HEADERS } from './headers.js';
import { discardRest } from './requests.js';
import { errorResponse, sendResponse } from './responses.js';
import { type RecordRequest, recordRequestsOf } from './sent-requests.js';

/** The default maximum size of a body, which is that of REST: 256 KiB. */
const BODY_BYTES_MAX = 262_144;
export const TARGET_LENGTH_MAX = 8_192;
const HEADER_BYTES_MAX = 16_384;
const REQUESTS_PER_SOCKET_MAX = 1_000;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;

export interface ServerOptions {
  /** Addresses and CIDR ranges whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** Origins whose pages may read responses. */
  readonly corsOrigins: CorsOrigins;
  /** Called for each request of a known caller, once its response was sent. Default: no request is recorded. */
  readonly recordRequest?: RecordRequest;
  /** Maximum size of a body in bytes. Default: 262,144. */
  readonly bodyBytesMax?: number;
  /** Replaces the published limits. Tests use shorter limits. */
  readonly limits?: Partial<ServerLimits>;
}

export interface ServerLimits {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** Interval of the checks whether a request exceeds one of the two timeouts. */
  readonly checkEveryMs: number;
  readonly requestsPerSocketMax: number;
}

const PUBLISHED_LIMITS: ServerLimits = {
  headersTimeoutMs: HEADERS_TIMEOUT_MS,
  requestTimeoutMs: REQUEST_TIMEOUT_MS,
  checkEveryMs: 2_000,
  requestsPerSocketMax: REQUESTS_PER_SOCKET_MAX,
};

/** Creates the Fastify adapter for Nest. */
export function createAdapter(options: ServerOptions): FastifyAdapter {
  const { trustedProxies } = options;
  const limits = { ...PUBLISHED_LIMITS, ...options.limits };
  const cors = new Cors(options.corsOrigins);
  const adapter = new FastifyAdapter({
    logger: false,
    skipMiddie: true,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    genReqId: requestIdOf,
    requestIdHeader: false,
    bodyLimit: options.bodyBytesMax ?? BODY_BYTES_MAX,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: 65_000,
    maxRequestsPerSocket: limits.requestsPerSocketMax,
    http: {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      maxHeaderSize: HEADER_BYTES_MAX,
      insecureHTTPParser: false,
      // The server itself rejects a missing host, in the published format.
      requireHostHeader: false,
    },
    // A server that is closing completes requests in flight, and later requests on the same connections.
    return503OnClosing: false,
    routerOptions: { maxParamLength: TARGET_LENGTH_MAX },
    rewriteUrl: (request: Pick<IncomingMessage, 'url'>) => routedTarget(request.url ?? ''),
    clientErrorHandler: handleClientError,
    // The router reports a target that it cannot decode. Such a target matches no route.
    frameworkErrors: (_error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
      sendResponse(
        allowOrigin(cors, request, reply),
        errorResponse(new DomainError('route_not_found'), request.id),
      ),
  });
  const server = adapter.getInstance<FastifyInstance>();
  if (cors.isEnabled) {
    server.addHook('onRequest', (request, reply, done) => {
      allowOrigin(cors, request, reply);
      done();
    });
  }
  recordRequestsOf(server, options.recordRequest ?? (() => undefined));
  rejectFaultyHttp(server);
  endConnectionsOnClose(server, limits.requestTimeoutMs);
  // A signature covers the body of a GET too.
  for (const method of ['GET', 'HEAD'])
    server.addHttpMethod(method, { hasBody: true, overrideExisting: true });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  return adapter;
}

/** Rejects a request with an invalid host with 400, and one with an unknown expectation with 417. */
function rejectFaultyHttp(server: FastifyInstance): void {
  const withUnknownExpectation = new WeakSet<IncomingMessage>();
  // Without a listener, Node.js responds with 417 itself, without a body and a request id.
  server.server.on('checkExpectation', (request, response) => {
    withUnknownExpectation.add(request);
    server.server.emit('request', request, response);
  });
  server.addHook('onRequest', (request, reply, done) => {
    const problem = hostProblem(request.raw, request.originalUrl);
    if (problem !== undefined) reject(reply, 400, problem);
    else if (withUnknownExpectation.has(request.raw)) reject(reply, 417, UNKNOWN_EXPECTATION);
    else done();
  });
}

const UNKNOWN_EXPECTATION =
  'The Expect header asks for something that this server does not support. Omit it, or send `Expect: 100-continue`.';

/** Rejects a request and closes its connection, because its body is not read. */
function reject(reply: FastifyReply, status: number, problem: string): void {
  discardRest(reply.request.raw);
  const response = errorResponse(new DomainError('malformed_json', problem), reply.request.id);
  sendResponse(reply, { ...response, status, headers: { ...response.headers, connection: 'close' } });
}

/** Adds the CORS headers for the request's origin. */
function allowOrigin(cors: Cors, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.headers({ ...cors.headersFor(request.headers.origin) });
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

function requestIdOf(request: { headers: IncomingMessage['headers'] }): string {
  const requestId = request.headers['x-request-id'];
  return typeof requestId === 'string' && REQUEST_ID.test(requestId) ? requestId : randomUUID();
}

/** Responds to invalid HTTP and slow requests with the exact status and the closest published code. */
function handleClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, clientError] = clientErrorOf(error.code);
  const requestId = randomUUID();
  const { body } = errorResponse(clientError, requestId);
  const headers = {
    ...DEFAULT_RESPONSE_HEADERS,
    'x-request-id': requestId,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`);
}

function clientErrorOf(code: string | undefined): [string, DomainError] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return [
        '431 Request Header Fields Too Large',
        new DomainError('payload_too_large', `The headers are larger than ${HEADER_BYTES_MAX} bytes.`),
      ];
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [
        '408 Request Timeout',
        new DomainError(
          'malformed_json',
          'The request was too slow: headers must arrive within 10 s, the whole request within 30 s.',
        ),
      ];
    default:
      return [
        '400 Bad Request',
        new DomainError('malformed_json', 'The request is not well-formed HTTP/1.1.'),
      ];
  }
}
