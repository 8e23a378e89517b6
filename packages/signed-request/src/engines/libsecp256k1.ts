/**
 * Bitcoin Core's libsecp256k1 through the native binding of the npm package `secp256k1`, an optional dependency. It is by
 * far the fastest engine and signs in constant time.
 *
 * The main entry of the package silently falls back to JavaScript if its binary is missing. This engine loads only the
 * binding, so it is either libsecp256k1 or unavailable.
 */
import { hash, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import {
  assertKnownAnswers,
  EngineUnavailableError,
  hasVerifiableLengths,
  type MessageSigner,
  type VerifyEngine,
} from '../engine.js';

type NativeBinding = Pick<
  typeof import('secp256k1'),
  'contextRandomize' | 'ecdsaSign' | 'ecdsaVerify' | 'signatureNormalize'
>;

/**
 * @param from the module that resolves the package. Default: this module.
 * @throws EngineUnavailableError if the package or its binary for this machine is missing
 */
export function openLibsecp256k1Engine(from: string | URL = import.meta.url): VerifyEngine & MessageSigner {
  const native = loadBinding(from);

  return assertKnownAnswers({
    name: 'libsecp256k1',

    sha256Hex: (data) => hash('sha256', data, 'hex'),

    verify(message, signature, publicKey) {
      if (!hasVerifiableLengths(signature, publicKey)) return false;
      const digest = hash('sha256', message, 'buffer');
      try {
        // The library accepts only a low s. It normalizes in place, so a signature with a high s is copied first.
        const lowS = hasHighS(signature) ? native.signatureNormalize(Uint8Array.from(signature)) : signature;
        return native.ecdsaVerify(lowS, digest, publicKey);
      } catch {
        // The lengths are valid, so r or s is at least n, or the key is not on the curve.
        return false;
      }
    },

    sign(message, privateKey) {
      const digest = hash('sha256', message, 'buffer');
      return native.ecdsaSign(digest, privateKey).signature;
    },
  });
}

/** (n − 1) / 2, where n is the order of the curve: the largest low s. */
const HALF_ORDER = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex');

/** Returns whether s exceeds (n − 1) / 2. Stops at the first byte that differs. */
function hasHighS(signature: Uint8Array): boolean {
  for (let i = 0; i < HALF_ORDER.length; i++) {
    const difference = (signature[32 + i] ?? 0) - (HALF_ORDER[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

function loadBinding(from: string | URL): NativeBinding {
  try {
    const native = createRequire(from)('secp256k1/bindings.js') as NativeBinding;
    // Blinds the multiplications of signing against side channels. The seed is not a key and is not stored.
    native.contextRandomize(randomBytes(32));
    return native;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : undefined;
    throw new EngineUnavailableError('libsecp256k1', reason ?? 'its binding did not load', { cause: error });
  }
}
