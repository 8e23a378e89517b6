/**
 * What is signed. Invariants
 * 1. Two different requests never share a canonical string: a method is an HTTP token, a target visible ASCII, a
 *    timestamp digits, nonce and digest hex, so no part can hold the newline that separates them.
 * 2. Nothing is normalised but the case of the method: target and timestamp stand as they were sent.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, toBytes } from './encoding.js';

const METHOD = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const TARGET = /^[\x21-\x7e]+$/;

/** The parts of a request that are signed, beside its body. */
export interface RequestParts {
  /** In any case; `CONNECT` for the handshake of a GraphQL subscription. */
  readonly method: string;
  /** The raw request target, query string included, escapes untouched. */
  readonly path: string;
  /** Unix time in milliseconds, in the very digits of the header. */
  readonly timestamp: string;
  /** 16 bytes in lower-case hex. */
  readonly nonce: string;
}

/** Can HTTP carry this method and this target? What it can't carry was never signed by a client of ours. */
export function isSignableRequestLine(method: string, path: string): boolean {
  return METHOD.test(method) && TARGET.test(path);
}

/**
 * METHOD, target, timestamp, nonce and the lower-case hex SHA-256 of the raw body, joined by one `\n`, none at the
 * end. It joins what it is given: check the forms first (`isSignableRequestLine`, `readSignatureHeaders`).
 *
 * @param request.body the raw bytes, empty when there is none; a text counts as UTF-8
 */
export function canonicalString(request: RequestParts & { readonly body: Uint8Array | string }): string {
  return canonicalStringOfDigest(request, bytesToHex(sha256(toBytes(request.body))));
}

/** The same for a body whose digest is at hand: a server hashes with its engine, faster than JavaScript does. */
export function canonicalStringOfDigest(request: RequestParts, bodySha256Hex: string): string {
  const { method, path, timestamp, nonce } = request;
  return `${method.toUpperCase()}\n${path}\n${timestamp}\n${nonce}\n${bodySha256Hex}`;
}
