/**
 * The common interface of the three ECDSA libraries, and the known-answer test that each must pass.
 *
 * Invariants of every engine, where n is the order of the curve:
 * 1. `verify` never throws: it returns true or false for any bytes of any length.
 * 2. It accepts 1 ≤ r < n and 1 ≤ s < n (including high s) with a compressed key on the curve, if the equation of SEC 1
 *    section 4.1.4 holds for the SHA-256 hash of the message. It rejects everything else.
 * 3. All engines return the same result for every input. They differ only in speed.
 */
import { hexToBytes, toBytes } from './encoding.js';

export type EngineName = 'libsecp256k1' | 'node:crypto' | 'noble';

/** Verifies signatures. It holds no secrets. */
export interface VerifyEngine {
  readonly name: EngineName;
  /** Returns the SHA-256 hash in lower-case hex, computed by the engine's library. */
  sha256Hex(data: Uint8Array): string;
  /**
   * @param message the signed bytes, not their digest
   * @param signature compact r‖s, 64 bytes
   * @param publicKey compressed, 33 bytes
   */
  verify(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean;
}

/**
 * Signs the SHA-256 hash of a message. Signatures are compact r‖s with a low s and the number k that RFC 6979 derives
 * from key and message, so that every library returns the same 64 bytes for the same key and message.
 */
export interface MessageSigner {
  /** @throws if `privateKey` is not 32 bytes of a scalar from 1 to n−1 */
  sign(message: Uint8Array, privateKey: Uint8Array): Uint8Array;
}

/** The library is missing or failed the known-answer test. */
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

/**
 * Returns whether signature and key have the right lengths. Engines check this before they call their library: some
 * libraries throw for other lengths, others accept DER or 65-byte keys.
 */
export function hasVerifiableLengths(signature: Uint8Array, publicKey: Uint8Array): boolean {
  return signature.length === 64 && publicKey.length === 33;
}

/** A signature of `KNOWN_MESSAGE` by the scalar 1, with its low s and with n−s. */
const KNOWN_MESSAGE = toBytes('signed-request: known answer');
const KNOWN_PUBLIC_KEY = hexToBytes('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');
const KNOWN_R = 'ac7bc6e9a1f172f65ac694342c20a4de7c5482120e8cda20050ed26f8f41b28d';
const KNOWN_LOW_S = '604790d5d7b2e2d067f0a3709af67fa16f7510e0551dc1163688b1dcc8f51ac4';
const KNOWN_HIGH_S = '9fb86f2a284d1d2f980f5c8f6509805d4b39cc065a2adf258949acb00741267d';

/**
 * Rejects an engine that loads but returns wrong results, such as an OpenSSL build without the curve or a native package
 * with a binary for another machine. Returns the engine otherwise.
 *
 * @throws EngineUnavailableError
 */
export function assertKnownAnswers<Engine extends VerifyEngine>(engine: Engine): Engine {
  let isCorrect: boolean;
  try {
    isCorrect = passesKnownAnswers(engine);
  } catch (error) {
    throw new EngineUnavailableError(engine.name, 'it threw in the known-answer test', { cause: error });
  }
  if (!isCorrect) throw new EngineUnavailableError(engine.name, 'it failed the known-answer test');
  return engine;
}

function passesKnownAnswers(engine: VerifyEngine): boolean {
  const lowS = hexToBytes(KNOWN_R + KNOWN_LOW_S);
  const highS = hexToBytes(KNOWN_R + KNOWN_HIGH_S);
  return (
    engine.verify(KNOWN_MESSAGE, lowS, KNOWN_PUBLIC_KEY) &&
    engine.verify(KNOWN_MESSAGE, highS, KNOWN_PUBLIC_KEY) &&
    !engine.verify(KNOWN_MESSAGE.subarray(1), lowS, KNOWN_PUBLIC_KEY)
  );
}
