/**
 * Bitcoin Core's libsecp256k1 through the native binding of the npm package `secp256k1`, an optional
 * dependency. Fastest by far, and constant-time when it signs.
 *
 * The package's own entry falls back, without a word, to a JavaScript library when its binary is missing.
 * This engine asks for the binding alone: it is libsecp256k1 or it is not there.
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
 * @param from the module whose dependency the package is; this one when left out
 * @throws EngineUnavailableError when the package, or a binary for this machine, is missing.
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
        // The library verifies low s alone. It normalises in place, and the caller's bytes are not ours to change;
        // the usual signature has a low s and needs neither the copy nor the call.
        const lowS = hasHighS(signature) ? native.signatureNormalize(Uint8Array.from(signature)) : signature;
        return native.ecdsaVerify(lowS, digest, publicKey);
      } catch {
        // Lengths are right, so what throws here is r or s of n or more, or a key that is not on the curve.
        return false;
      }
    },

    sign(message, privateKey) {
      const digest = hash('sha256', message, 'buffer');
      return native.ecdsaSign(digest, privateKey).signature;
    },
  });
}

/** (n − 1) / 2, the highest s that is low. */
const HALF_ORDER = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex');

/** Ends at the first byte that differs, nearly always the first one. */
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
    // Blinds the multiplications of signing against side channels; the seed is no key and is not kept.
    native.contextRandomize(randomBytes(32));
    return native;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : undefined;
    throw new EngineUnavailableError('libsecp256k1', reason ?? 'its binding did not load', { cause: error });
  }
}
