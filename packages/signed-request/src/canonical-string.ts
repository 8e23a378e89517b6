/**
 * The canonical string, which the signature covers. Invariants:
 * 1. Two different requests never share a canonical string. A method is an HTTP token, a target is visible ASCII, a
 *    timestamp is digits, and nonce and digest are hex, so no part can contain the newline that separates them.
 * 2. Only the case of the method is normalized. Target and timestamp are used exactly as sent.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, toBytes } from './encoding.js';

const METHOD = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const TARGET = /^[\x21-\x7e]+$/;

/** The signed parts of a request except its body. */
export interface RequestParts {
  /** In any case; `CONNECT` for the handshake of a GraphQL subscription. */
  readonly method: string;
  /** The raw request target, including the query string, with escapes unchanged. */
  readonly path: string;
  /** Unix time in milliseconds, the exact digits of the header. */
  readonly timestamp: string;
  /** 16 bytes in lower-case hex. */
  readonly nonce: string;
}

/** Returns whether HTTP allows this method and target. A client of this scheme signs no other request line. */
export function isSignableRequestLine(method: string, path: string): boolean {
  return METHOD.test(method) && TARGET.test(path);
}

/**
 * Returns METHOD, target, timestamp, nonce and the lower-case hex SHA-256 of the raw body, separated by `\n`. No `\n`
 * follows the last part. It does not validate: check the parts first (`isSignableRequestLine`, `readSignatureHeaders`).
 *
 * @param request.body the raw bytes, empty if the request has no body; a string is encoded as UTF-8
 */
export function canonicalString(request: RequestParts & { readonly body: Uint8Array | string }): string {
  return canonicalStringOfDigest(request, bytesToHex(sha256(toBytes(request.body))));
}

/** Same as `canonicalString`, for a known digest: a server hashes with its engine, which is faster than JavaScript. */
export function canonicalStringOfDigest(request: RequestParts, bodySha256Hex: string): string {
  const { method, path, timestamp, nonce } = request;
  return `${method.toUpperCase()}\n${path}\n${timestamp}\n${nonce}\n${bodySha256Hex}`;
}
