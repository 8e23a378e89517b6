/**
 * The signing side: what the SDK, the command line and a browser call before they send.
 *
 * Invariants
 * 1. Every signature made here has s in the lower half and a nonce k after RFC 6979; no randomness enters it.
 * 2. The request nonce is fresh for every call, so the same request signed twice is two requests.
 * 3. What can't arrive as it was signed (a target beyond visible ASCII) is refused before it is signed.
 */
import { canonicalString, isSignableRequestLine } from './canonical-string.js';
import { bytesToHex, isLowerHex, toBytes } from './encoding.js';
import type { MessageSigner } from './engine.js';
import { nobleEngine } from './engines/noble.js';
import { publicKeyOf } from './keys.js';
import type { SignatureHeaders } from './signature-headers.js';

export interface RequestToSign {
  readonly method: string;
  /** The request target exactly as it will be sent, query string included. */
  readonly path: string;
  /** The body exactly as it will be sent; a text goes as UTF-8. Left out when there is none. */
  readonly body?: Uint8Array | string;
  /** Unix time in milliseconds; the clock's when left out. */
  readonly nowMs?: number;
  /** 32 lower-case hex characters; fresh random bytes when left out. Never give the same one twice. */
  readonly nonce?: string;
}

export type RequestSigner = (request: RequestToSign) => SignatureHeaders;

/**
 * A signer for one key pair: the public key is derived once, for callers that sign many requests.
 *
 * @throws RangeError when the private key is no scalar from 1 to n−1
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
        'a request is signed over a method token and a target of visible ASCII: percent-encode the rest',
      );
    }
    if (!Number.isSafeInteger(nowMs) || nowMs < 0)
      throw new RangeError('nowMs is a whole number of milliseconds');
    if (!isLowerHex(nonce, 16)) throw new RangeError('a nonce is 32 lower-case hex characters');

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
