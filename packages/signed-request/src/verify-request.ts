/**
 * The verifier makes five checks, always in this order, cheap ones first.
 *
 *   1. headers well-formed       no lookup, no cryptography
 *   2. timestamp                 at most 60 s from this clock
 *   3. public key known          one lookup by the caller
 *   4. signature                 the only cryptography
 *   5. nonce recorded            one atomic write
 *
 * Invariants:
 * 1. A nonce is recorded only after its signature is verified: an attacker can neither fill the replay window nor use up
 *    the nonce of another client.
 * 2. No request is accepted without recording its nonce. Errors of the lookup or the replay window are rethrown; the
 *    caller must respond with 503.
 * 3. A request with any of the four headers is verified by them only and is never `absent`.
 */
import { canonicalStringOfDigest, isSignableRequestLine } from './canonical-string.js';
import { hexToBytes, toBytes } from './encoding.js';
import type { VerifyEngine } from './engine.js';
import { NONCE_TTL_MS, type ReplayWindow } from './replay-window.js';
import {
  type HeaderSource,
  type PresentSignatureHeaders,
  readSignatureHeaders,
  type SignatureHeaderName,
} from './signature-headers.js';

/** Maximum difference between a request's timestamp and the server's clock. */
export const CLOCK_SKEW_MAX_MS = 60_000;

/** A received request: HTTP or a GraphQL `connection_init`. */
export interface ReceivedRequest {
  readonly method: string;
  /** The raw request target including the query string, before any router decodes or rewrites it. */
  readonly path: string;
  readonly headers: HeaderSource;
  /** The raw body bytes; empty without a body. */
  readonly body: Uint8Array;
}

export interface VerifierDependencies<Identity> {
  readonly engine: VerifyEngine;
  /** Returns the owner of a key; null if it is unknown or revoked. */
  readonly findPublicKey: (publicKey: string) => Promise<Identity | null>;
  readonly replayWindow: ReplayWindow;
  /** Unix time in milliseconds. Default: the system clock. */
  readonly nowMs?: () => number;
}

export type SignatureRefusal =
  | {
      readonly kind: 'refused';
      readonly code: 'invalid_signature_headers';
      readonly header: SignatureHeaderName;
      readonly reason: string;
    }
  | { readonly kind: 'refused'; readonly code: 'timestamp_out_of_window'; readonly serverTimeMs: number }
  | {
      readonly kind: 'refused';
      readonly code: 'unknown_public_key' | 'invalid_signature' | 'nonce_replayed';
    };

export type SignatureRefusalCode = SignatureRefusal['code'];

export interface AcceptedRequest<Identity> {
  readonly kind: 'accepted';
  /** What `findPublicKey` returned. */
  readonly identity: Identity;
  readonly publicKey: string;
  readonly nonce: string;
  readonly timestampMs: number;
}

/** `absent`: the request has none of the four headers and may be authenticated in another way. */
export type RequestVerification<Identity> =
  | { readonly kind: 'absent' }
  | SignatureRefusal
  | AcceptedRequest<Identity>;

/**
 * Verifies one request.
 *
 * @throws only errors of `findPublicKey` and `replayWindow`
 */
export async function verifyRequest<Identity>(
  request: ReceivedRequest,
  dependencies: VerifierDependencies<Identity>,
): Promise<RequestVerification<Identity>> {
  const headers = readSignatureHeaders(request.headers);
  if (headers.kind === 'absent') return headers;
  if (headers.kind === 'malformed') {
    return {
      kind: 'refused',
      code: 'invalid_signature_headers',
      header: headers.header,
      reason: headers.reason,
    };
  }

  const serverTimeMs = (dependencies.nowMs ?? Date.now)();
  // Negated, so that a clock that returns NaN rejects the request.
  if (!(Math.abs(serverTimeMs - headers.timestampMs) <= CLOCK_SKEW_MAX_MS)) {
    return { kind: 'refused', code: 'timestamp_out_of_window', serverTimeMs };
  }

  const { publicKey, nonce, timestampMs } = headers;
  const identity = await dependencies.findPublicKey(publicKey);
  if (identity === null) return { kind: 'refused', code: 'unknown_public_key' };

  if (!isSignedBy(request, headers, dependencies.engine))
    return { kind: 'refused', code: 'invalid_signature' };

  const isFirst = await dependencies.replayWindow.claim(publicKey, nonce, NONCE_TTL_MS);
  if (!isFirst) return { kind: 'refused', code: 'nonce_replayed' };

  return { kind: 'accepted', identity, publicKey, nonce, timestampMs };
}

function isSignedBy(
  request: ReceivedRequest,
  headers: PresentSignatureHeaders,
  engine: VerifyEngine,
): boolean {
  // A client of this scheme signs no such request line.
  if (!isSignableRequestLine(request.method, request.path)) return false;
  const { method, path } = request;
  const { timestamp, nonce } = headers;
  const canonical = canonicalStringOfDigest(
    { method, path, timestamp, nonce },
    engine.sha256Hex(request.body),
  );
  return engine.verify(toBytes(canonical), hexToBytes(headers.signature), hexToBytes(headers.publicKey));
}
