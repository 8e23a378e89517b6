/**
 * Serves the reference publicly by GET and HEAD, without the response envelope of operations.
 *
 * 1. A request for a page counts toward the rate limit of its IP address, like a request to a public operation.
 * 2. A page is compressed once per process, on the first request that accepts gzip.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { DomainError } from '@trading-automation/contracts';
import type { RequestLimits } from '@trading-automation/core/access';
import {
  acceptsGzip,
  addressOf,
  DEFAULT_RESPONSE_HEADERS,
  matchesEtag,
  sendResponse,
} from '@trading-automation/runtime/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type RenderedResponse, renderError } from '../http/rendering.js';
import { type ReferencePage, referencePages } from './reference-pages.js';

const OTHER_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const ALLOW = 'GET, HEAD, OPTIONS';
const IMMUTABLE = 'public, max-age=31536000, immutable';

const compress = promisify(gzip);

type LimitsOf = (address: string) => RequestLimits;

export function serveReference(server: FastifyInstance, limitsOf: LimitsOf): void {
  for (const page of referencePages()) servePage(server, new StaticPage(page), limitsOf);
}

function servePage(server: FastifyInstance, page: StaticPage, limitsOf: LimitsOf): void {
  server.get(page.path, async (request, reply) => {
    const limits = limitsOf(addressOf(request));
    try {
      limits.assertAddressNotLimited();
      await limits.takeTokensByAddress();
    } catch (error) {
      const rateLimit = limits.headers;
      const rendered: RenderedResponse = renderError(error, request.id);
      sendResponse(reply, rateLimit === undefined ? rendered : { ...rendered, rateLimit });
      return reply;
    }
    return page.send(request, reply);
  });
  server.route({
    method: OTHER_METHODS,
    url: page.path,
    // Rejects other methods before a body is read.
    onRequest: (request, reply) => rejectMethod(request, reply),
    handler: async () => undefined,
  });
}

function rejectMethod(request: FastifyRequest, reply: FastifyReply): void {
  const headers = { allow: ALLOW };
  const rendered = renderError(new DomainError('method_not_allowed'), request.id);
  if (request.method === 'OPTIONS') sendResponse(reply, { status: 204, headers, body: '' });
  else sendResponse(reply, { ...rendered, headers: { ...rendered.headers, ...headers } });
}

/** A page with its precomputed headers and its compressed form. */
class StaticPage {
  readonly path: string;
  private readonly plain: Buffer;
  private readonly digest: string;
  private readonly headers: Readonly<Record<string, string>>;
  private gzipped: Promise<Buffer> | undefined;

  constructor(page: ReferencePage) {
    this.path = page.path;
    this.plain = Buffer.from(page.text);
    this.digest = createHash('sha256').update(this.plain).digest('base64url').slice(0, 22);
    this.headers = {
      ...DEFAULT_RESPONSE_HEADERS,
      'content-type': page.type,
      'cache-control': page.isVersioned ? IMMUTABLE : 'no-cache',
      vary: 'Accept-Encoding',
      ...(page.contentPolicy === undefined ? {} : { 'content-security-policy': page.contentPolicy }),
    };
  }

  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const isZipped = acceptsGzip(request.headers['accept-encoding']);
    const etag = `"${this.digest}${isZipped ? '-gzip' : ''}"`;
    reply.headers({ ...this.headers, etag, 'x-request-id': request.id });
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    if (!isZipped) return reply.send(this.plain);
    return reply.header('content-encoding', 'gzip').send(await this.compressed());
  }

  private compressed(): Promise<Buffer> {
    this.gzipped ??= compress(this.plain);
    return this.gzipped;
  }
}
