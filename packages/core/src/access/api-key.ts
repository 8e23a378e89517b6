/**
 * The format of an API key: `svc_test_` or `svc_live_`, then 32 random bytes in base62 (43 characters), then the
 * CRC-32 of everything before it in base62 (6 characters).
 *
 * 1. The checksum rejects a mistyped or invented key before any database query. It does not prove that a key is genuine.
 * 2. Only the SHA-256 of a key is stored. A slow hash is unnecessary for 256 random bits.
 * 3. A key has exactly one spelling: out-of-range digits and wrong lengths are rejected.
 */
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { World } from '@trading-automation/contracts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 32;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

const PREFIXES = { test: 'svc_test_', live: 'svc_live_' } as const satisfies Record<World, string>;

const FORMAT = new RegExp(
  `^svc_(test|live)_([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
);

/** A new key's value, shown to its owner once, and the fields that are stored. */
export interface IssuedApiKey {
  readonly key: string;
  readonly prefix: (typeof PREFIXES)[World];
  readonly lastFour: string;
  /** SHA-256 of the key's ASCII bytes. */
  readonly hash: Buffer;
}

/** Issues a key for a world. @param secret 32 bytes from a secure random source */
export function issueApiKey(world: World, secret: Uint8Array = randomBytes(SECRET_BYTES)): IssuedApiKey {
  if (secret.length !== SECRET_BYTES)
    throw new RangeError(`expected ${SECRET_BYTES} bytes, got ${secret.length}`);
  const body = PREFIXES[world] + toBase62(BigInt(`0x${Buffer.from(secret).toString('hex')}`), SECRET_LENGTH);
  const key = body + checksumOf(body);
  return { key, prefix: PREFIXES[world], lastFour: key.slice(-4), hash: hashApiKey(key) };
}

/** Returns the world of a well-formed key with a correct checksum; null for any other string. */
export function worldOfApiKey(text: string): World | null {
  const match = FORMAT.exec(text);
  if (!match) return null;
  const [, world, , checksum] = match;
  return checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === checksum ? (world as World) : null;
}

/** Returns the SHA-256 of a key, by which the database finds the key. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key, 'ascii').digest();
}

function checksumOf(body: string): string {
  return toBase62(BigInt(crc32(body)), CHECKSUM_LENGTH);
}

function toBase62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = BASE62[Number(rest % 62n)] + text;
  return text;
}
