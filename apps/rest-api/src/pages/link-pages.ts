/**
 * Serves the pages behind mailed links.
 *
 * 1. GET and HEAD show a form and change nothing: mail scanners and link previews use no link.
 * 2. The form sends the code in the body of a POST, which uses the link. There are no cookies, so another site that
 *    sends this POST needs the code and gains nothing over its own request; no further protection against cross-site
 *    requests is needed.
 * 3. The pages load nothing, run no script, cannot be framed or stored, and do not pass their URL on.
 * 4. A request counts toward the rate limit of its IP address, like a request to a public operation.
 */
import { DomainError } from '@trading-automation/contracts';
import type { RequestLimits } from '@trading-automation/core/access';
import { addressOf, DEFAULT_RESPONSE_HEADERS, sendResponse } from '@trading-automation/runtime/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { renderError } from '../http/rendering.js';
import { document, heading, paragraph } from './html.js';

const OTHER_METHODS = ['PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const ALLOW = 'GET, HEAD, POST, OPTIONS';
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // The query contains the code.
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

/** What a form sends; an empty string for a field that is missing or repeated. */
interface LinkForm {
  readonly code: string;
  readonly password: string;
}

/** A page; its functions return HTML elements. Both throw `not_found` for an unknown code. */
export interface LinkPage {
  readonly path: string;
  readonly title: string;
  /** Shows the page of a code. Changes nothing. */
  show(code: string): Promise<readonly string[]>;
  /** Uses the link. If it throws `validation_failed`, the page is shown again with the message. */
  submit(form: LinkForm): Promise<readonly string[]>;
}

/** @param limitsOf returns the limits of a request from an IP address */
export function serveLinkPages(
  server: FastifyInstance,
  limitsOf: (address: string) => RequestLimits,
  pages: readonly LinkPage[],
): void {
  for (const page of pages) {
    const serve =
      (respond: (request: FastifyRequest) => Promise<PageContent>) =>
      async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
        const limits = limitsOf(addressOf(request));
        try {
          limits.assertAddressNotLimited();
          await limits.takeTokensByAddress();
          const { status, body } = await respond(request);
          return sendPage(reply, page, status, body);
        } catch (error) {
          return sendError(request, reply, page, limits, error);
        }
      };
    server.get(
      page.path,
      serve(async ({ query }) => ({ status: 200, body: await page.show(codeOf(query)) })),
    );
    server.post(
      page.path,
      serve((request) => submit(page, formOf(request))),
    );
    server.route({
      method: OTHER_METHODS,
      url: page.path,
      // Rejects other methods before a body is read.
      onRequest: (request, reply) => rejectMethod(request, reply),
      handler: async () => undefined,
    });
  }
}

interface PageContent {
  readonly status: number;
  readonly body: readonly string[];
}

async function submit(page: LinkPage, form: LinkForm): Promise<PageContent> {
  try {
    return { status: 200, body: await page.submit(form) };
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'validation_failed') throw error;
    const messages = error.details.map(({ message }) => paragraph(message));
    return { status: 422, body: [...messages, ...(await page.show(form.code))] };
  }
}

function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  page: LinkPage,
  limits: RequestLimits,
  error: unknown,
): FastifyReply {
  if (error instanceof DomainError && error.code === 'not_found')
    return sendPage(reply, page, 404, [heading('This link does not work'), paragraph(error.message)]);
  const rendered = renderError(error, request.id);
  sendResponse(reply, limits.headers === undefined ? rendered : { ...rendered, rateLimit: limits.headers });
  return reply;
}

function rejectMethod(request: FastifyRequest, reply: FastifyReply): void {
  const headers = { allow: ALLOW };
  const rendered = renderError(new DomainError('method_not_allowed'), request.id);
  if (request.method === 'OPTIONS') sendResponse(reply, { status: 204, headers, body: '' });
  else sendResponse(reply, { ...rendered, headers: { ...rendered.headers, ...headers } });
}

function codeOf(query: unknown): string {
  const { code } = query as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}

function formOf({ headers, body }: FastifyRequest): LinkForm {
  const isForm = FORM_TYPE.test(headers['content-type'] ?? '');
  const fields = new URLSearchParams(isForm && Buffer.isBuffer(body) ? body.toString('utf8') : '');
  const fieldOf = (name: string) => {
    const [value = '', ...more] = fields.getAll(name);
    return more.length === 0 ? value : '';
  };
  return { code: fieldOf('code'), password: fieldOf('password') };
}

function sendPage(
  reply: FastifyReply,
  { title }: LinkPage,
  status: number,
  body: readonly string[],
): FastifyReply {
  return reply
    .code(status)
    .headers({ ...DEFAULT_RESPONSE_HEADERS, ...PAGE_HEADERS })
    .header('x-request-id', reply.request.id)
    .send(document(title, body));
}
