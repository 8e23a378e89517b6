/**
 * The HTTP server: Fastify under Nest, with limits, and with the operations as its routes.
 *
 * 1. A request that no operation answers is refused before its body is read.
 * 2. The target, the headers and the body reach the verifier as they were sent.
 * 3. Every answer, of whatever origin, is JSON in the published envelope and carries `x-request-id`; a stream of
 *    events is one once it has begun, and not before. The reference (`../reference`) alone has answers of other kinds.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { DomainError } from '@trading-automation/contracts';
import type { Logger } from '@trading-automation/runtime';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Cors, type CorsOrigins, preflightHeaders } from './cors.js';
import { type EventStream, STREAM_HEADERS, sendEvents } from './event-stream.js';
import type { OperationHandler, ReceivedRequest } from './operation-handler.js';
import { HEADERS_OF_EVERY_ANSWER, logError, type Rendered, renderError } from './rendering.js';
import { aliasHeaders, pathOf, pathsOf, type RoutePath, RouteTable } from './route-table.js';

const BODY_BYTES_MAX = 262_144;
const TARGET_LENGTH_MAX = 8_192;
const HEADER_BYTES_MAX = 16_384;
const REQUESTS_PER_SOCKET_MAX = 1_000;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How long the rest of a refused body is thrown away: cut off at once, its sender would miss the answer. */
const LINGER_MS = 1_000;

export interface ServerOptions {
  /** Addresses and CIDR ranges whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** Whose pages may read answers. */
  readonly corsOrigins: CorsOrigins;
  /** Other limits than the published ones: for tests, which can't wait for those. */
  readonly limits?: Partial<ServerLimits>;
}

export interface ServerLimits {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How often connections are looked at for the two above. */
  readonly checkEveryMs: number;
  readonly requestsPerSocketMax: number;
}

const PUBLISHED_LIMITS: ServerLimits = {
  headersTimeoutMs: HEADERS_TIMEOUT_MS,
  requestTimeoutMs: REQUEST_TIMEOUT_MS,
  checkEveryMs: 2_000,
  requestsPerSocketMax: REQUESTS_PER_SOCKET_MAX,
};

/** The server as Nest takes it. */
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
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: 65_000,
    maxRequestsPerSocket: limits.requestsPerSocketMax,
    http: {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      maxHeaderSize: HEADER_BYTES_MAX,
      insecureHTTPParser: false,
    },
    // Requests under way, and those that follow on their connections, are served to the end while closing.
    return503OnClosing: false,
    routerOptions: { maxParamLength: TARGET_LENGTH_MAX },
    clientErrorHandler: answerClientError,
    // A target that the router can't decode is the path of nothing.
    frameworkErrors: (_error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
      send(allowOrigin(cors, request, reply), renderError(new DomainError('route_not_found'), request.id)),
  });
  const server = adapter.getInstance<FastifyInstance>();
  if (cors.isOn) {
    server.addHook('onRequest', (request, reply, done) => {
      allowOrigin(cors, request, reply);
      done();
    });
  }
  // A signature covers the body of a GET too.
  for (const method of ['GET', 'HEAD'])
    server.addHttpMethod(method, { hasBody: true, overrideExisting: true });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  return adapter;
}

/** Adds what lets pages of the request's origin read the answer, whatever it will be. */
function allowOrigin(cors: Cors, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.headers({ ...cors.headersFor(request.headers.origin) });
}

/** Puts the operations on the server, at their paths and at their legacy aliases. */
export function serveOperations(
  server: FastifyInstance,
  handlers: readonly OperationHandler[],
  logger: Logger,
): void {
  const routes = new RouteTable(handlers.map(({ operation }) => operation));
  const refuse = (request: FastifyRequest, reply: FastifyReply) => refuseUnrouted(routes, request, reply);
  server.addHook('onRequest', (request, reply, done) => (request.is404 ? refuse(request, reply) : done()));
  for (const handler of handlers) {
    for (const path of pathsOf(handler.operation)) serveAt({ server, path, handler, refuse, logger });
  }
}

function refuseUnrouted(routes: RouteTable, request: FastifyRequest, reply: FastifyReply): void {
  discardRest(request.raw);
  const target = targetOf(request);
  const { error, headers } = routes.refusal(target);
  if (request.method === 'OPTIONS' && headers.allow !== undefined) {
    const more = isAllowedPreflight(request, reply) ? preflightHeaders(routes.allowed(pathOf(target))) : {};
    send(reply, { status: 204, headers: { ...headers, ...more }, body: '' });
  } else {
    send(reply, withHeaders(renderError(error, request.id), headers));
  }
}

function isAllowedPreflight(request: FastifyRequest, reply: FastifyReply): boolean {
  return (
    request.headers['access-control-request-method'] !== undefined &&
    reply.hasHeader('access-control-allow-origin')
  );
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

interface Served {
  readonly server: FastifyInstance;
  readonly path: RoutePath;
  readonly handler: OperationHandler;
  /** For what the router takes for this path, and is not. */
  readonly refuse: (request: FastifyRequest, reply: FastifyReply) => void;
  readonly logger: Logger;
}

function serveAt({ server, path, handler, refuse, logger }: Served): void {
  const answer = (request: FastifyRequest, reply: FastifyReply, rendered: Rendered) => {
    const headed = path.isAlias ? withHeaders(rendered, aliasHeaders(pathOf(targetOf(request)))) : rendered;
    const context = { request_id: request.id, operation: handler.operation.id };
    if (headed.stream === undefined) send(reply, headed);
    else sendStream(reply, headed, headed.stream, (error) => logError(logger, error, context));
  };
  server.route({
    method: handler.operation.method,
    url: path.path,
    onRequest: (request, reply, done) => {
      const target = targetOf(request);
      if (path.match(pathOf(target)) === null) return refuse(request, reply);
      if (target.length > TARGET_LENGTH_MAX)
        return answer(request, reply, renderError(targetTooLong(), request.id));
      // To the server a body is bytes: what they are said to be is judged after the credentials, from the raw headers.
      delete request.raw.headers['content-type'];
      done();
    },
    errorHandler: (error: FastifyError, request, reply) => {
      const refusal = bodyRefusal(error);
      logError(logger, refusal, { request_id: request.id, operation: handler.operation.id });
      reply.removeHeader('connection');
      discardRest(request.raw);
      answer(request, reply, renderError(refusal, request.id));
    },
    handler: async (request, reply) => {
      answer(request, reply, await handler.answer(receivedFrom(request, path)));
      return reply;
    },
  });
}

function receivedFrom(request: FastifyRequest, path: RoutePath): ReceivedRequest {
  const target = targetOf(request);
  return {
    method: request.raw.method!,
    target,
    rawHeaders: request.raw.rawHeaders,
    body: Buffer.isBuffer(request.body) ? request.body : NO_BYTES,
    address: addressOf(request),
    requestId: request.id,
    params: path.match(pathOf(target)) ?? {},
  };
}

const NO_BYTES = new Uint8Array();
const targetOf = (request: FastifyRequest) => request.raw.url ?? '';

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
function sendStream(
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

function withHeaders(rendered: Rendered, headers: Readonly<Record<string, string>>): Rendered {
  return { ...rendered, headers: { ...rendered.headers, ...headers } };
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

function requestIdOf(request: { headers: IncomingMessage['headers'] }): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** The caller's address: the socket's, or what a trusted proxy says it is. IPv4 is never shown as IPv6. */
export function addressOf(request: FastifyRequest): string {
  const address = isIP(request.ip) === 0 ? (request.socket.remoteAddress ?? '') : request.ip;
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}

function targetTooLong(): DomainError {
  return new DomainError(
    'invalid_query',
    `The request target is over ${TARGET_LENGTH_MAX} bytes. Shorten it.`,
  );
}

/** Why a body could not be read. */
function bodyRefusal(error: FastifyError): unknown {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new DomainError('payload_too_large');
  if (error.statusCode === 400)
    return new DomainError('malformed_json', 'The body broke off.', [], { cause: error });
  return error;
}

function discardRest(request: IncomingMessage): void {
  if (request.complete) return;
  const cut = setTimeout(() => request.socket.destroy(), LINGER_MS);
  for (const event of ['end', 'close']) request.once(event, () => clearTimeout(cut));
  request.resume();
}

/** Answers what is no HTTP, or came too slowly: the code that fits best of the published ones, and the exact status. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, refusal] = clientRefusal(error.code);
  const requestId = randomUUID();
  const { body } = renderError(refusal, requestId);
  const headers = {
    ...HEADERS_OF_EVERY_ANSWER,
    'x-request-id': requestId,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`);
}

function clientRefusal(code: string | undefined): [string, DomainError] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return [
        '431 Request Header Fields Too Large',
        new DomainError('payload_too_large', `The headers are over ${HEADER_BYTES_MAX} bytes.`),
      ];
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [
        '408 Request Timeout',
        new DomainError(
          'malformed_json',
          'The request did not arrive in time: headers 10 s, all of it 30 s.',
        ),
      ];
    default:
      return [
        '400 Bad Request',
        new DomainError('malformed_json', 'The request is not well-formed HTTP/1.1.'),
      ];
  }
}
