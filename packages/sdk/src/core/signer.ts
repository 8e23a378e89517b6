/**
 * Signs requests with whatever holds the key: a private key in memory, a keyring, a hardware module.
 *
 * 1. Every attempt is signed anew, with a fresh nonce and the server's time as far as it is known: nothing that was
 *    sent once is sent again.
 * 2. What is signed is what is sent, byte for byte: see the signed-request specification.
 */

/** A key pair that signs; the private key never has to be here. */
export interface Signer {
  /** Compressed secp256k1 public key, 66 lower-case hex characters. */
  readonly publicKey: string;
  /**
   * The ECDSA signature over SHA-256 of the message: 64 bytes, r then s. Sign the bytes as they are: hashing them is
   * part of signing.
   */
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** What is signed of a request. */
export interface SignedParts {
  readonly method: string;
  /** The request target exactly as it is sent, query string included. */
  readonly path: string;
  /** The body exactly as it is sent; empty where there is none. */
  readonly body: string;
  /** Unix time in milliseconds, by the server's clock. */
  readonly nowMs: number;
}

/** The canonical string of a request: what the signature is made over. Source: the signed-request specification. */
export async function canonicalStringOf(
  { method, path, body }: Omit<SignedParts, 'nowMs'>,
  timestamp: string,
  nonce: string,
): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body));
  return `${method}\n${path}\n${timestamp}\n${nonce}\n${hexOf(new Uint8Array(digest))}`;
}

/** The four headers of a signed request; the canonical string is told to `show`, for those who look for a fault. */
export async function signatureHeaders(
  signer: Signer,
  parts: SignedParts,
  show?: (canonicalString: string) => void,
): Promise<Record<string, string>> {
  const timestamp = String(Math.round(parts.nowMs));
  const nonce = hexOf(crypto.getRandomValues(new Uint8Array(16)));
  const canonical = await canonicalStringOf(parts, timestamp, nonce);
  show?.(canonical);
  const signature = await signer.sign(new TextEncoder().encode(canonical));
  if (signature.length !== 64) throw new TypeError('signer.sign() gives 64 bytes: r and s, 32 each, no DER.');
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
