/**
 * Serves the reference, to anybody: GET and HEAD, beside the operations and outside of their envelope.
 *
 * 1. Its requests take from the rate limit of their address, as those of public operations do.
 * 2. An answer is compressed once in the life of the process, and only where somebody asks for it.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { DomainError } from '@trading-automation/contracts';
import type { RequestLimits } from '@trading-automation/core/access';
import { addressOf, DEFAULT_RESPONSE_HEADERS, sendResponse } from '@trading-automation/runtime/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type RenderedResponse, renderError } from '../http/rendering.js';
import { type ReferencePage, referencePages } from './reference-pages.js';

const OTHER_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const ALLOW = 'GET, HEAD, OPTIONS';
const FOR_EVER = 'public, max-age=31536000, immutable';

const compress = promisify(gzip);

type LimitsOf = (address: string) => RequestLimits;

export function serveReference(server: FastifyInstance, limitsOf: LimitsOf): void {
  for (const page of referencePages()) servePage(server, new StaticPage(page), limitsOf);
}

function servePage(server: FastifyInstance, page: StaticPage, limitsOf: LimitsOf): void {
  server.get(page.path, async (request, reply) => {
    const limits = limitsOf(addressOf(request));
    try {
      limits.assertAddressAdmitted();
      await limits.takeByAddress();
    } catch (error) {
      const rateLimit = limits.headers;
      const refusal: RenderedResponse = renderError(error, request.id);
      sendResponse(reply, rateLimit === undefined ? refusal : { ...refusal, rateLimit });
      return reply;
    }
    return page.send(request, reply);
  });
  server.route({
    method: OTHER_METHODS,
    url: page.path,
    // Refused before a body is read.
    onRequest: (request, reply) => refuseMethod(request, reply),
    handler: async () => undefined,
  });
}

function refuseMethod(request: FastifyRequest, reply: FastifyReply): void {
  const headers = { allow: ALLOW };
  const refusal = renderError(new DomainError('method_not_allowed'), request.id);
  if (request.method === 'OPTIONS') sendResponse(reply, { status: 204, headers, body: '' });
  else sendResponse(reply, { ...refusal, headers: { ...refusal.headers, ...headers } });
}

/** One page as it goes out. */
class StaticPage {
  readonly path: string;
  private readonly plain: Buffer;
  private readonly digest: string;
  private readonly headers: Readonly<Record<string, string>>;
  private zipped: Promise<Buffer> | undefined;

  constructor(page: ReferencePage) {
    this.path = page.path;
    this.plain = Buffer.from(page.text);
    this.digest = createHash('sha256').update(this.plain).digest('base64url').slice(0, 22);
    this.headers = {
      ...DEFAULT_RESPONSE_HEADERS,
      'content-type': page.type,
      'cache-control': page.isVersioned ? FOR_EVER : 'no-cache',
      vary: 'Accept-Encoding',
      ...(page.contentPolicy === undefined ? {} : { 'content-security-policy': page.contentPolicy }),
    };
  }

  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const isZipped = takesGzip(request.headers['accept-encoding']);
    const tag = `"${this.digest}${isZipped ? '-gzip' : ''}"`;
    reply.headers({ ...this.headers, etag: tag, 'x-request-id': request.id });
    if (isKnown(request.headers['if-none-match'], tag)) return reply.code(304).send();
    if (!isZipped) return reply.send(this.plain);
    return reply.header('content-encoding', 'gzip').send(await this.compressed());
  }

  private compressed(): Promise<Buffer> {
    this.zipped ??= compress(this.plain);
    return this.zipped;
  }
}

const takesGzip = (accepted: string | string[] | undefined) =>
  String(accepted ?? '')
    .split(',')
    .some((coding) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(coding));

const isKnown = (known: string | undefined, tag: string) =>
  known?.split(',').some((candidate) => [tag, `W/${tag}`, '*'].includes(candidate.trim()));
