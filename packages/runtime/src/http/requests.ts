/** Requests as they came in: what a signature covers reaches its verifier unchanged. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import { DomainError } from '@trading-automation/contracts';
import type { FastifyError, FastifyRequest } from 'fastify';
import { parseJsonBody } from './json-body.js';

/** How long the rest of a refused body is thrown away: cut off at once, its sender would miss the answer. */
const LINGER_MS = 1_000;
const NO_BYTES = new Uint8Array();

type Headed = { readonly rawHeaders: readonly string[] };

/** The raw request target. */
export const targetOf = (request: FastifyRequest): string => request.raw.url ?? '';

/** Method, target, headers, body and address, as they were sent. */
export function incomingOf(request: FastifyRequest) {
  return {
    method: request.raw.method!,
    target: targetOf(request),
    rawHeaders: request.raw.rawHeaders,
    body: Buffer.isBuffer(request.body) ? request.body : NO_BYTES,
    address: addressOf(request),
  };
}

/** Reads the caller's address of requests that the server does not handle itself: upgrades. */
export function addressReader(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  return (request) => plainAddress(proxyAddr(request, isTrusted), request.socket.remoteAddress);
}

/** The caller's address: the socket's, or what a trusted proxy says it is. IPv4 is never shown as IPv6. */
export function addressOf(request: FastifyRequest): string {
  return plainAddress(request.ip, request.socket.remoteAddress);
}

function plainAddress(told: string, ofSocket: string | undefined): string {
  const address = isIP(told) === 0 ? (ofSocket ?? '') : told;
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}

/** The first value of a header; `name` in lower case. */
export function headerOf({ rawHeaders }: Headed, name: string): string | undefined {
  for (let i = 0; i + 1 < rawHeaders.length; i += 2)
    if (rawHeaders[i]!.length === name.length && rawHeaders[i]!.toLowerCase() === name)
      return rawHeaders[i + 1];
  return undefined;
}

/** The parsed body; undefined where there is none. @throws {DomainError} */
export function parseJsonRequest(request: Headed & { readonly body: Uint8Array }): unknown {
  const encoding = headerOf(request, 'content-encoding');
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    throw new DomainError('unsupported_media_type');
  if (request.body.length === 0) return undefined;
  if (!isJson(headerOf(request, 'content-type') ?? '')) throw new DomainError('unsupported_media_type');
  return parseJsonBody(request.body);
}

/** JSON, and in UTF-8 where it names a charset. */
function isJson(contentType: string): boolean {
  const [type, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  return (
    type === 'application/json' &&
    parameters.every((part) => !part.startsWith('charset') || /^charset\s*=\s*"?utf-8"?$/.test(part))
  );
}

/** Why a body could not be read. */
export function bodyRefusal(error: FastifyError): unknown {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new DomainError('payload_too_large');
  if (error.statusCode === 400)
    return new DomainError('malformed_json', 'The body broke off.', [], { cause: error });
  return error;
}

/** Throws away what is still to come of a body. */
export function discardRest(request: IncomingMessage): void {
  if (request.complete) return;
  const cut = setTimeout(() => request.socket.destroy(), LINGER_MS);
  for (const event of ['end', 'close']) request.once(event, () => clearTimeout(cut));
  request.resume();
}
