/**
 * Seals secrets at rest with HPKE (RFC 9180, base mode; DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM).
 *
 * 1. A process that stores secrets has only the recipient's public key and cannot open what it sealed.
 * 2. A sealed box names the key that opens it, so that keys rotate while old boxes stay readable.
 * 3. A box is bound to its context, such as `exchange_account/<uuid>`: if it is moved to another row, it does not open.
 * 4. Errors do not reveal why a box does not open, except that no key of the ring has the id in the box.
 *
 * A box is a string: `<key id>.<base64url of the encapsulated key>.<base64url of the ciphertext>`.
 */
import type { webcrypto } from 'node:crypto';
import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_P256_HKDF_SHA256 } from 'hpke';

const suite = new CipherSuite(KEM_DHKEM_P256_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_256_GCM);

/** Separates sealed boxes from other uses of the same key. */
const INFO = new TextEncoder().encode('trading-automation/sealed-box/v1');

/** A key pair as strings. `id` is the start of the public key's SHA-256 and is not secret. */
export interface SealingKeyPair {
  readonly id: string;
  /** Uncompressed point, base64url. */
  readonly publicKey: string;
  /** Scalar, base64url. */
  readonly privateKey: string;
}

export type PublicSealingKey = Pick<SealingKeyPair, 'id' | 'publicKey'>;

/** Thrown if a box does not open: wrong key, wrong context, or altered content. */
export class SealedBoxError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'SealedBoxError';
  }
}

/** Generates a key pair for a process that opens boxes. */
export async function generateSealingKeyPair(): Promise<SealingKeyPair> {
  const pair = await suite.GenerateKeyPair(true);
  const [publicKey, privateKey] = await Promise.all([
    suite.SerializePublicKey(pair.publicKey),
    suite.SerializePrivateKey(pair.privateKey),
  ]);
  return { id: await keyId(publicKey), publicKey: toText(publicKey), privateKey: toText(privateKey) };
}

/** Seals secrets for one recipient. */
export class Sealer {
  private constructor(
    readonly keyId: string,
    private readonly key: webcrypto.CryptoKey,
  ) {}

  /**
   * Creates a sealer.
   *
   * @throws {TypeError} if the id does not belong to the key
   * @throws if the key is not a point on the curve
   */
  static async for(recipient: PublicSealingKey): Promise<Sealer> {
    const bytes = toBytes(recipient.publicKey);
    if ((await keyId(bytes)) !== recipient.id) throw new TypeError('the sealing key does not match its id');
    return new Sealer(recipient.id, await suite.DeserializePublicKey(bytes));
  }

  async seal(plaintext: string, context: string): Promise<string> {
    const { encapsulatedSecret, ciphertext } = await suite.Seal(this.key, encode(plaintext), {
      info: INFO,
      aad: encode(context),
    });
    return `${this.keyId}.${toText(encapsulatedSecret)}.${toText(ciphertext)}`;
  }
}

/** Opens boxes that were sealed to any key of its ring; the first key is the current one. */
export class Opener {
  private constructor(private readonly keys: ReadonlyMap<string, webcrypto.CryptoKey>) {}

  static async with(ring: readonly Omit<SealingKeyPair, 'publicKey'>[]): Promise<Opener> {
    const keys = new Map<string, webcrypto.CryptoKey>();
    for (const { id, privateKey } of ring) {
      keys.set(id, await suite.DeserializePrivateKey(toBytes(privateKey), true));
    }
    return new Opener(keys);
  }

  async open(box: string, context: string): Promise<string> {
    const [id = '', encapsulated = '', ciphertext = '', ...rest] = box.split('.');
    const key = this.keys.get(id);
    if (key === undefined) throw new SealedBoxError('no key of the ring opens this box');
    if (rest.length > 0) throw new SealedBoxError('the box does not open');
    try {
      const plaintext = await suite.Open(key, toBytes(encapsulated), toBytes(ciphertext), {
        info: INFO,
        aad: encode(context),
      });
      return new TextDecoder('utf-8', { fatal: true }).decode(plaintext);
    } catch {
      throw new SealedBoxError('the box does not open');
    }
  }
}

/** Returns the id of the key that opens a box. A rotation uses it to find the boxes to seal again. */
export function keyIdOf(box: string): string {
  return box.slice(0, Math.max(0, box.indexOf('.')));
}

async function keyId(publicKey: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', Uint8Array.from(publicKey));
  return Buffer.from(digest).toString('hex').slice(0, 16);
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

/** Decodes base64url. Rejects every non-canonical encoding, so that two different strings are never the same box. */
function toBytes(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) throw new TypeError('expected canonical base64url');
  return new Uint8Array(bytes);
}
