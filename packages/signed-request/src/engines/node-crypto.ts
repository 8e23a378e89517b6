/**
 * OpenSSL through node:crypto: available in every Node and several times faster than JavaScript.
 *
 * OpenSSL parses keys slowly, so parsed keys are cached, with eviction of the least recently used. The cache is bounded
 * and contains only valid public keys.
 */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { assertKnownAnswers, hasVerifiableLengths, type VerifyEngine } from '../engine.js';
import { LruCache } from '../lru-cache.js';

/** DER of a SubjectPublicKeyInfo (RFC 5480) for a compressed point on secp256k1, up to the 33 bytes of the point. */
const SPKI_PREFIX = Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex');
/** A parsed key takes a few KiB, so the cache takes at most some tens of MiB. */
const PARSED_KEYS_MAX = 4096;

/** @throws EngineUnavailableError if this OpenSSL does not support the curve */
export function openNodeCryptoEngine(): VerifyEngine {
  const parsedKeys = new LruCache<string, KeyObject>(PARSED_KEYS_MAX);

  function cachedKey(publicKey: Uint8Array): KeyObject | null {
    const cacheKey = Buffer.from(publicKey).toString('latin1');
    const cached = parsedKeys.get(cacheKey);
    if (cached !== undefined) return cached;
    const parsed = parsePublicKeyDer(publicKey);
    if (parsed !== null) parsedKeys.set(cacheKey, parsed);
    return parsed;
  }

  return assertKnownAnswers({
    name: 'node:crypto',

    sha256Hex: (data) => createHash('sha256').update(data).digest('hex'),

    verify(message, signature, publicKey) {
      if (!hasVerifiableLengths(signature, publicKey)) return false;
      const key = cachedKey(publicKey);
      if (key === null) return false;
      return verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, signature);
    },
  });
}

/** Parses a public key; returns null if it is not a compressed point on the curve. */
function parsePublicKeyDer(publicKey: Uint8Array): KeyObject | null {
  try {
    return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: 'der', type: 'spki' });
  } catch {
    return null;
  }
}
