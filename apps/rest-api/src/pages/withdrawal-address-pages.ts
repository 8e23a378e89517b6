/**
 * The page behind the link that confirms a withdrawal address.
 *
 * 1. GET and HEAD show the address and a button, and change nothing: mail scanners and link previews confirm nothing.
 * 2. The button sends a POST, which confirms the address. Sending it again shows the same page.
 * 3. A request counts toward the rate limit of its IP address, like a request to a public operation.
 */
import { DomainError, type WithdrawalAddress } from '@trading-automation/contracts';
import type { RequestLimits } from '@trading-automation/core/access';
import { CONFIRMATION_PATH, type WithdrawalAddressesService } from '@trading-automation/core/withdrawals';
import { addressOf, DEFAULT_RESPONSE_HEADERS, sendResponse } from '@trading-automation/runtime/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { renderError } from '../http/rendering.js';

const OTHER_METHODS = ['PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const ALLOW = 'GET, HEAD, POST, OPTIONS';
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // The query contains the code.
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

type Addresses = Pick<WithdrawalAddressesService, 'byCode' | 'confirm'>;

/** @param limitsOf returns the limits of a request from an IP address */
export function serveWithdrawalAddressPages(
  server: FastifyInstance,
  limitsOf: (address: string) => RequestLimits,
  addresses: Addresses,
): void {
  const serve =
    (find: (code: string) => Promise<WithdrawalAddress>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const limits = limitsOf(addressOf(request));
      try {
        limits.assertAddressNotLimited();
        await limits.takeTokensByAddress();
        return sendPage(reply, 200, addressPage(await find(codeOf(request))));
      } catch (error) {
        if (error instanceof DomainError && error.code === 'not_found')
          return sendPage(reply, 404, [heading('This link does not work'), paragraph(error.message)]);
        const rendered = renderError(error, request.id);
        sendResponse(
          reply,
          limits.headers === undefined ? rendered : { ...rendered, rateLimit: limits.headers },
        );
        return reply;
      }
    };
  server.get(
    CONFIRMATION_PATH,
    serve((code) => addresses.byCode(code)),
  );
  server.post(
    CONFIRMATION_PATH,
    serve((code) => addresses.confirm(code)),
  );
  server.route({
    method: OTHER_METHODS,
    url: CONFIRMATION_PATH,
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

/** Returns the code of a link; an empty string, which no link has, if the code is missing or repeated. */
function codeOf(request: FastifyRequest): string {
  const { code } = request.query as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** An address in PENDING has a form without fields: it is sent to the URL of the page, which contains the code. */
function addressPage({ address, label, status, usable_at }: WithdrawalAddress): string[] {
  const record = [paragraph(address), ...(label === undefined ? [] : [paragraph(label)])];
  if (status === 'PENDING')
    return [
      heading('Confirm a withdrawal address'),
      ...record,
      paragraph(
        'Compare every character with the address of your wallet. If it is not yours, close this page.',
      ),
      '<form method="post"><button>Confirm this address</button></form>',
    ];
  const when =
    status === 'HELD' ? `You can withdraw to it from ${usable_at} on.` : 'You can withdraw to it now.';
  return [heading('The withdrawal address is confirmed'), ...record, paragraph(when)];
}

function sendPage(reply: FastifyReply, status: number, body: readonly string[]): FastifyReply {
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Withdrawal address</title></head><body><main>${body.join('')}</main></body></html>\n`;
  return reply
    .code(status)
    .headers({ ...DEFAULT_RESPONSE_HEADERS, ...PAGE_HEADERS })
    .header('x-request-id', reply.request.id)
    .send(page);
}

const heading = (text: string) => `<h1>${escapeHtml(text)}</h1>`;
const paragraph = (text: string) => `<p>${escapeHtml(text)}</p>`;

function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character]!);
}
