import { z } from 'zod';

/** Schema of bytes in lower-case hex. */
export function hexOf(bytes: number) {
  return z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`), { error: `Expected ${bytes} bytes in lower-case hex.` });
}

/** The fields with which the holder of a key pair proves that it has the private key. */
export const identityProof = {
  challenge: hexOf(32),
  pubkey: hexOf(33).describe('Compressed secp256k1 public key.'),
  signature: hexOf(64).describe(
    'Signature over the UTF-8 string `svc-cli-identity\\n<challenge>\\n<pubkey>`.',
  ),
} as const;

export interface IdentityProof {
  readonly challenge: string;
  readonly pubkey: string;
  readonly signature: string;
}
