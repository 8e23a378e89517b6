/** Reads raw requests, so that the signature verifier gets the exact bytes. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import { DomainError } from '@trading-automation/contracts';
import type { FastifyError, FastifyRequest } from 'fastify';
import { parseJsonBody } from './json-body.js';

/**
 * Time for which the rest of a rejected body is read and discarded before the disconnect. After an immediate disconnect
 * the client might not get the response.
 */
const LINGER_MS = 1_000;
const NO_BYTES = new Uint8Array();

type WithRawHeaders = { readonly rawHeaders: readonly string[] };

/** Returns the request target by which the request is routed; see `runtime/request-target`. */
export const targetOf = (request: FastifyRequest): string => request.raw.url ?? '';

/** Returns method, headers, body and address as received, the routed target, and the target as received. */
export function incomingOf(request: FastifyRequest) {
  return {
    method: request.raw.method!,
    target: targetOf(request),
    signedTarget: request.originalUrl,
    rawHeaders: request.raw.rawHeaders,
    body: Buffer.isBuffer(request.body) ? request.body : NO_BYTES,
    address: addressOf(request),
  };
}

/** Returns a function that reads the caller's address from an upgrade request, which Fastify does not handle. */
export function addressReader(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  return (request) => plainAddress(proxyAddr(request, isTrusted), request.socket.remoteAddress);
}

/**
 * Returns the caller's address: the address of the socket, or the one that a trusted proxy reports. An IPv4-mapped IPv6
 * address is returned as IPv4.
 */
export function addressOf(request: FastifyRequest): string {
  return plainAddress(request.ip, request.socket.remoteAddress);
}

function plainAddress(reported: string, socketAddress: string | undefined): string {
  const address = isIP(reported) === 0 ? (socketAddress ?? '') : reported;
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}

/** Returns the first value of a header; `name` must be lower-case. */
export function headerOf({ rawHeaders }: WithRawHeaders, name: string): string | undefined {
  for (let i = 0; i + 1 < rawHeaders.length; i += 2)
    if (rawHeaders[i]!.length === name.length && rawHeaders[i]!.toLowerCase() === name)
      return rawHeaders[i + 1];
  return undefined;
}

/** Parses the JSON body; returns undefined if the body is empty. @throws {DomainError} if it is not JSON */
export function parseJsonRequest(request: WithRawHeaders & { readonly body: Uint8Array }): unknown {
  const encoding = headerOf(request, 'content-encoding');
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    throw new DomainError('unsupported_media_type');
  if (request.body.length === 0) return undefined;
  if (!isJson(headerOf(request, 'content-type') ?? '')) throw new DomainError('unsupported_media_type');
  return parseJsonBody(request.body);
}

/** Returns whether a content type is JSON, in UTF-8 if it has a charset. */
function isJson(contentType: string): boolean {
  const [type, ...parameters] = contentType.split(';').map((segment) => segment.trim().toLowerCase());
  return (
    type === 'application/json' &&
    parameters.every(
      (parameter) => !parameter.startsWith('charset') || /^charset\s*=\s*"?utf-8"?$/.test(parameter),
    )
  );
}

/** Converts an error that occurred while the body was read to the error that the caller gets. */
export function bodyRefusal(error: FastifyError): unknown {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new DomainError('payload_too_large');
  if (error.statusCode === 400)
    return new DomainError('malformed_json', 'The body is incomplete.', [], { cause: error });
  return error;
}

/** Reads and discards the rest of a body for up to 1 s, then disconnects. */
export function discardRest(request: IncomingMessage): void {
  if (request.complete) return;
  const timer = setTimeout(() => request.socket.destroy(), LINGER_MS);
  for (const event of ['end', 'close']) request.once(event, () => clearTimeout(timer));
  request.resume();
}
