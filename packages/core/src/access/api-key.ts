/**
 * The form of an API key: `svc_test_` or `svc_live_`, 32 random bytes in base62 (43 characters), and the CRC-32
 * of all before it in base62 (6 characters).
 *
 * 1. The checksum tells a mistyped or made-up key from a real one before any look-up; it proves nothing.
 * 2. Only the SHA-256 of a key is kept. 256 random bits need no slow hash.
 * 3. There is one spelling of a key: digits out of range or a wrong length don't pass.
 */
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { World } from '@trading-automation/contracts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 32;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

const PREFIXES = { test: 'svc_test_', live: 'svc_live_' } as const satisfies Record<World, string>;

const FORM = new RegExp(`^svc_(test|live)_([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/** A key's value, shown to its owner once, and what is kept of it. */
export interface IssuedApiKey {
  readonly key: string;
  readonly prefix: (typeof PREFIXES)[World];
  readonly lastFour: string;
  /** SHA-256 of the key's ASCII text. */
  readonly hash: Buffer;
}

/** Issues a key of the world from 32 bytes that must come from a secure source. */
export function issueApiKey(world: World, secret: Uint8Array = randomBytes(SECRET_BYTES)): IssuedApiKey {
  if (secret.length !== SECRET_BYTES)
    throw new RangeError(`expected ${SECRET_BYTES} bytes, got ${secret.length}`);
  const body = PREFIXES[world] + toBase62(BigInt(`0x${Buffer.from(secret).toString('hex')}`), SECRET_LENGTH);
  const key = body + checksumOf(body);
  return { key, prefix: PREFIXES[world], lastFour: key.slice(-4), hash: hashApiKey(key) };
}

/** The world of a well-formed key with the right checksum; null for any other text. */
export function worldOfApiKey(text: string): World | null {
  const match = FORM.exec(text);
  if (!match) return null;
  const [, world, , checksum] = match;
  return checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === checksum ? (world as World) : null;
}

/** What a key is looked up by. */
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
