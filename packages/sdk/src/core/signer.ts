/**
 * Signs requests with a key in memory, in a keyring or in a hardware module.
 *
 * 1. Every attempt has its own signature, with a new nonce and the estimated server time. No signature is sent twice.
 * 2. The signature covers exactly the bytes that are sent. See the signed-request specification.
 */

/** Signs with a key pair. The private key does not have to be in this process. */
export interface Signer {
  /** Compressed secp256k1 public key, 66 lower-case hex characters. */
  readonly publicKey: string;
  /**
   * Hashes the message with SHA-256 and returns the ECDSA signature of the hash: 64 bytes, r then s.
   */
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** The parts of a request that the signature covers. */
export interface SignedParts {
  readonly method: string;
  /** The request target exactly as sent, including the query string. */
  readonly path: string;
  /** The body exactly as sent; empty for a request without a body. */
  readonly body: string;
  /** Unix time in milliseconds, estimated for the server's clock. */
  readonly nowMs: number;
}

/** Returns the canonical string that the signature covers. See the signed-request specification. */
export async function canonicalStringOf(
  { method, path, body }: Omit<SignedParts, 'nowMs'>,
  timestamp: string,
  nonce: string,
): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body));
  return `${method}\n${path}\n${timestamp}\n${nonce}\n${hexOf(new Uint8Array(digest))}`;
}

/** Signs a request and returns its four signature headers. Passes the canonical string to `onSign`, for debugging. */
export async function signatureHeaders(
  signer: Signer,
  parts: SignedParts,
  onSign?: (canonicalString: string) => void,
): Promise<Record<string, string>> {
  const timestamp = String(Math.round(parts.nowMs));
  const nonce = hexOf(crypto.getRandomValues(new Uint8Array(16)));
  const canonical = await canonicalStringOf(parts, timestamp, nonce);
  onSign?.(canonical);
  const signature = await signer.sign(new TextEncoder().encode(canonical));
  if (signature.length !== 64)
    throw new TypeError(
      `signer.sign() must return 64 bytes, r then s, not DER; got ${signature.length} bytes.`,
    );
  return {
    'x-svc-pubkey': signer.publicKey,
    'x-svc-timestamp': timestamp,
    'x-svc-nonce': nonce,
    'x-svc-sig': hexOf(signature),
  };
}

export function hexOf(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}
