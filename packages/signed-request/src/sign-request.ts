/**
 * Signs requests, for the SDK, the command line and browsers.
 *
 * Invariants:
 * 1. Every signature has a low s and the number k that RFC 6979 derives from key and message, without randomness.
 * 2. Every call uses a new request nonce, so that a request that is signed twice counts as two requests.
 * 3. A target with characters other than visible ASCII is rejected before signing, because it might be
 *    changed on the way.
 */
import { canonicalString, isSignableRequestLine } from './canonical-string.js';
import { bytesToHex, isLowerHex, toBytes } from './encoding.js';
import type { MessageSigner } from './engine.js';
import { nobleEngine } from './engines/noble.js';
import { publicKeyOf } from './keys.js';
import type { SignatureHeaders } from './signature-headers.js';

export interface RequestToSign {
  readonly method: string;
  /** The request target exactly as it will be sent, including the query string. */
  readonly path: string;
  /** The body exactly as it will be sent; a string is encoded as UTF-8. Default: no body. */
  readonly body?: Uint8Array | string;
  /** Unix time in milliseconds. Default: the system clock. */
  readonly nowMs?: number;
  /** 32 lower-case hex characters. Default: random. Never use the same nonce twice. */
  readonly nonce?: string;
}

export type RequestSigner = (request: RequestToSign) => SignatureHeaders;

/**
 * Creates a signer for one key pair. The signer derives the public key only once.
 *
 * @throws RangeError if the private key is not a number from 1 to n−1 in 32 bytes, where n is the order of the curve
 */
export function createRequestSigner(
  privateKey: Uint8Array,
  options: { readonly signer?: MessageSigner | undefined } = {},
): RequestSigner {
  const signer = options.signer ?? nobleEngine;
  const publicKey = publicKeyOf(privateKey);

  return ({ method, path, body = '', nowMs = Date.now(), nonce = randomNonce() }) => {
    if (!isSignableRequestLine(method, path)) {
      throw new TypeError(
        'The method must be an HTTP token and the target visible ASCII. Percent-encode other characters.',
      );
    }
    if (!Number.isSafeInteger(nowMs) || nowMs < 0)
      throw new RangeError(`nowMs must be a non-negative integer of milliseconds; got ${nowMs}.`);
    if (!isLowerHex(nonce, 16)) throw new RangeError('The nonce must be 32 lower-case hex characters.');

    const timestamp = String(nowMs);
    const message = toBytes(canonicalString({ method, path, timestamp, nonce, body }));
    return {
      'x-svc-pubkey': publicKey,
      'x-svc-timestamp': timestamp,
      'x-svc-nonce': nonce,
      'x-svc-sig': bytesToHex(signer.sign(message, privateKey)),
    };
  };
}

/**
 * Signs one request and returns the four headers to send with it.
 *
 * @example
 * const body = JSON.stringify({ name: 'laptop' });
 * const headers = signRequest({ method: 'POST', path: '/v1/api-keys', body, privateKey });
 * await fetch(`${origin}/v1/api-keys`, { method: 'POST', body, headers: { ...headers, 'content-type': 'application/json' } });
 */
export function signRequest(
  request: RequestToSign & { readonly privateKey: Uint8Array; readonly signer?: MessageSigner },
): SignatureHeaders {
  const { privateKey, signer, ...rest } = request;
  return createRequestSigner(privateKey, { signer })(rest);
}

function randomNonce(): string {
  return bytesToHex(globalThis.crypto.getRandomValues(new Uint8Array(16)));
}
