/**
 * The verifier: five checks, always in this order, the cheap before the dear.
 *
 *   1. headers well-formed       no look-up, no arithmetic
 *   2. timestamp                 within 60 s of this clock, either side
 *   3. public key known          one look-up by the caller
 *   4. signature                 the only arithmetic
 *   5. nonce recorded            one atomic write
 *
 * Invariants
 * 1. A nonce is recorded only after its signature verified: a forger can neither fill the memory nor burn
 *    somebody else's nonce.
 * 2. Nothing is accepted that was not recorded. A look-up or a memory that fails throws through this
 *    function; the caller answers 503, never lets the request in.
 * 3. A request that carries any of the four headers is judged by them alone; it never falls back to `absent`.
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

/** How far a request's timestamp may lie from the server's clock, either side. */
export const CLOCK_SKEW_MAX_MS = 60_000;

/** A request as it came in, for HTTP and for a GraphQL `connection_init` alike. */
export interface ReceivedRequest {
  readonly method: string;
  /** The raw request target, query string included, before any router decoded or rewrote it. */
  readonly path: string;
  readonly headers: HeaderSource;
  /** The raw body bytes; empty when there is none. */
  readonly body: Uint8Array;
}

export interface VerifierDependencies<Identity> {
  readonly engine: VerifyEngine;
  /** Whose key is it? null for unknown and for revoked. */
  readonly findPublicKey: (publicKey: string) => Promise<Identity | null>;
  readonly replayWindow: ReplayWindow;
  /** Unix time in milliseconds; the system clock when left out. */
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

/** `absent`: none of the four headers is there; the request may be authenticated in another way. */
export type RequestVerification<Identity> =
  | { readonly kind: 'absent' }
  | SignatureRefusal
  | AcceptedRequest<Identity>;

/**
 * Judges one request.
 *
 * @throws whatever `findPublicKey` or `replayWindow` throws; nothing of its own
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
  // Put so that a clock which answers NaN refuses.
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
  // No signer of ours signs such a line; what came in with one was not sent by a client of this scheme.
  if (!isSignableRequestLine(request.method, request.path)) return false;
  const { method, path } = request;
  const { timestamp, nonce } = headers;
  const canonical = canonicalStringOfDigest(
    { method, path, timestamp, nonce },
    engine.sha256Hex(request.body),
  );
  return engine.verify(toBytes(canonical), hexToBytes(headers.signature), hexToBytes(headers.publicKey));
}
