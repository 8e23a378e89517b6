/**
 * The one face of the three ECDSA libraries, and the test that each must pass before it is trusted.
 *
 * Invariants, the same for every engine
 * 1. `verify` is total: any bytes of any length give true or false, never a throw.
 * 2. Accepted: 1 ≤ r < n, 1 ≤ s < n (high s too), a compressed key on the curve, and the equation of
 *    SEC 1 section 4.1.4 over SHA-256 of the message, hashed once. Everything else is false.
 * 3. The engines agree on every input; which of them runs can be seen in speed alone.
 */
import { hexToBytes, toBytes } from './encoding.js';

export type EngineName = 'libsecp256k1' | 'node:crypto' | 'noble';

/** Verifies; holds no secret. */
export interface VerifyEngine {
  readonly name: EngineName;
  /** SHA-256 in lower-case hex, by the engine's own library. */
  sha256Hex(data: Uint8Array): string;
  /**
   * @param message the signed bytes themselves, not their digest
   * @param signature compact r‖s, 64 bytes
   * @param publicKey compressed, 33 bytes
   */
  verify(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean;
}

/**
 * Signs SHA-256 of a message: compact r‖s, s in the lower half, the nonce of RFC 6979, so the same key and
 * message always give the same 64 bytes whichever library signs.
 */
export interface MessageSigner {
  /** @throws when `privateKey` is not 32 bytes of a scalar from 1 to n−1. */
  sign(message: Uint8Array, privateKey: Uint8Array): Uint8Array;
}

/** A library that is missing here, or that does not behave as it must. */
export class EngineUnavailableError extends Error {
  override readonly name = 'EngineUnavailableError';

  constructor(
    readonly engine: EngineName,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`signature engine ${engine} is unavailable: ${reason}`, options);
  }
}

/** Lengths are judged before any library sees the bytes: some throw on them, others read DER or 65-byte keys. */
export function hasVerifiableLengths(signature: Uint8Array, publicKey: Uint8Array): boolean {
  return signature.length === 64 && publicKey.length === 33;
}

/** A signature by the scalar 1 over `KNOWN_MESSAGE`, and its twin with n−s for s. */
const KNOWN_MESSAGE = toBytes('signed-request: known answer');
const KNOWN_PUBLIC_KEY = hexToBytes('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');
const KNOWN_R = 'ac7bc6e9a1f172f65ac694342c20a4de7c5482120e8cda20050ed26f8f41b28d';
const KNOWN_LOW_S = '604790d5d7b2e2d067f0a3709af67fa16f7510e0551dc1163688b1dcc8f51ac4';
const KNOWN_HIGH_S = '9fb86f2a284d1d2f980f5c8f6509805d4b39cc065a2adf258949acb00741267d';

/**
 * Refuses an engine that loads but answers wrongly: an OpenSSL build without the curve, a native package
 * whose binary does not fit the machine.
 *
 * @throws EngineUnavailableError
 */
export function assertKnownAnswers<Engine extends VerifyEngine>(engine: Engine): Engine {
  let isRight: boolean;
  try {
    isRight = answersRightly(engine);
  } catch (error) {
    throw new EngineUnavailableError(engine.name, 'it threw in the known-answer test', { cause: error });
  }
  if (!isRight) throw new EngineUnavailableError(engine.name, 'it failed the known-answer test');
  return engine;
}

function answersRightly(engine: VerifyEngine): boolean {
  const lowS = hexToBytes(KNOWN_R + KNOWN_LOW_S);
  const highS = hexToBytes(KNOWN_R + KNOWN_HIGH_S);
  return (
    engine.verify(KNOWN_MESSAGE, lowS, KNOWN_PUBLIC_KEY) &&
    engine.verify(KNOWN_MESSAGE, highS, KNOWN_PUBLIC_KEY) &&
    !engine.verify(KNOWN_MESSAGE.subarray(1), lowS, KNOWN_PUBLIC_KEY)
  );
}
